/// What hears the sound that is played, so that its echo can be taken out of what the microphone gives.
///
/// An audio sink whose sound comes to somebody's ears has it in its description, where the sound is signed samples of 16 bits at 48 kHz:
/// `… ! audioconvert ! audioresample ! audio/x-raw,format=S16LE,rate=48000 ! webrtcechoprobe name=probe ! SINK name=sink`
enum EchoProbe {
    /// The name of the `webrtcechoprobe` in a description.
    static let element = "probe"

    /// `webrtcdsp` looks for its probe by name in the whole process, so each call's has one of its own.
    static func uniqueName() -> String { "\(element)-\(UInt64.random(in: 0...UInt64.max))" }
}
