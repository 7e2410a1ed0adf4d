internal import CallAgent
internal import MediaEngine

/// What this program is made of.
enum Version {
    static let program = "0.1.0"

    static var text: String {
        "callagent \(program), GStreamer \(MediaEngine.gstreamerVersion), libnice \(MediaEngine.libniceVersion)"
    }
}
