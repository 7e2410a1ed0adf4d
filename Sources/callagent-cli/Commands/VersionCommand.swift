internal import ArgumentParser
internal import MediaEngine

/// The command `callagent version`.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Prints the versions of the program, GStreamer and libnice.")

    func run() { Output.line(Version.text) }
}

/// The versions of the program and its libraries.
enum Version {
    static let program = "0.2.0"

    static var text: String {
        "callagent \(program), GStreamer \(Engine.gstreamerVersion), libnice \(Engine.libniceVersion)"
    }
}
