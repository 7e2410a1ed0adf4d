internal import ArgumentParser

/// The command `callagent version`.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Tells the versions of the program, GStreamer and libnice.")

    func run() { Output.line(Version.text) }
}
