internal import Foundation

/// What the workers of other machines do: callees and options of `callagent load`, as they stand on its command line.
///
/// Nothing in it can make a machine read a file, open a device or run a program: what belongs to the machine, the worker there has as options of its own.
struct LoadPlan: Codable, Equatable {
    let arguments: [String]

    /// The options that a plan may have.
    private static let planned: Set = [
        "calls", "rate", "poisson", "ramp", "duration", "total", "for", "audio-only", "video", "video-size",
        "video-rate",
        "max-video-rate", "audio", "codec", "audio-codec", "prefer", "encode", "decode", "early-media", "join-ahead",
        "ring-timeout", "connect-timeout", "audio-grace", "start-muted", "start-video-muted", "start-video-off",
        "start-output-off", "require-media", "display-name", "address", "extension",
    ]
    /// The options that stay with the command that has the workers.
    private static let kept: Set = [
        "workers-at", "machines", "as", "signaling", "token", "token-file", "trust-roots", "client-cert", "client-key",
        "device", "json", "events", "html", "junit", "expect", "log-level", "log-json", "config",
    ]
    /// The sources that this program makes itself.
    private static let generated: Set = ["test", "clock", "busy", "tone", "speech", "silence", "none"]

    /// Takes the callees and the options of a command line.
    ///
    /// - Parameters:
    ///   - arguments: what follows `load`, with each option of the configuration file.
    ///   - known: the options of `callagent load`.
    /// - Throws: a ``Failure`` for an option that a plan cannot have.
    init(_ arguments: [String], known: [String: CommandOptions.Option]) throws(Failure) {
        var (plan, callees): ([String], [String]) = ([], [])
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--"), word.count > 2 else {
                callees += word == "--" ? rest : [word]
                if word == "--" { break }
                continue
            }
            let name = String(word.dropFirst(2).prefix { $0 != "=" })
            var option = [word]
            if known[name]?.isFlag == false, !word.contains("="), let value = rest.popFirst() { option.append(value) }
            guard !Self.kept.contains(name) else { continue }
            plan += option
        }
        self.arguments = plan + callees
        try check()
    }

    /// Checks a plan, also one that another machine sent.
    func check() throws(Failure) {
        var value: String?
        for (index, word) in arguments.enumerated() where word.hasPrefix("--") {
            let name = String(word.dropFirst(2).prefix { $0 != "=" })
            guard Self.planned.contains(name) else {
                throw Failure(
                    .usage, "--\(name.printable) cannot be given with --workers-at; give it to the workers themselves")
            }
            guard name == "video" || name == "audio" else { continue }
            value = word.contains("=") ? String(word.drop { $0 != "=" }.dropFirst()) : arguments[safe: index + 1]
            let source = value.map { $0.prefix { $0 != ":" } } ?? ""
            guard Self.generated.contains(String(source)) else {
                throw Failure(
                    .usage,
                    "--\(name): with --workers-at a source is generated, not '\((value ?? "").printable)'; give others to the workers themselves"
                )
            }
        }
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
