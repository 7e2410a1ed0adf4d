internal import CallAgent
internal import Foundation

/// What the workers of other machines do: callees and options of `callagent load`, as they stand on its command line.
///
/// Nothing in it can make a machine read a file, open a device or run a program: what belongs to the machine, the worker there has as options of its own.
struct LoadPlan: Codable, Equatable {
    /// As `--name=value`, and flags as `--name`.
    private(set) var options: [String]
    private(set) var callees: [String]

    /// What follows the own options of a worker on its command line.
    var arguments: [String] { options + ["--"] + callees }

    /// The options that a plan may have.
    private static let planned: Set = [
        "calls", "rate", "poisson", "ramp", "duration", "total", "for", "audio-only", "video", "video-size",
        "video-rate",
        "max-video-rate", "audio", "codec", "audio-codec", "prefer", "encode", "decode", "early-media", "join-ahead",
        "ring-timeout", "connect-timeout", "audio-grace", "start-muted", "start-audio-off", "start-video-muted",
        "start-video-off", "start-output-off", "require-media", "display-name", "address", "extension",
    ]
    /// The options that stay with the command that has the workers.
    private static let kept: Set = [
        "workers-at", "machines", "as", "signaling", "token", "token-file", "trust-roots", "client-cert", "client-key",
        "device", "json", "events", "html", "junit", "expect", "log-level", "config",
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
        (options, callees) = ([], [])
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--"), word.count > 2 else {
                callees += word == "--" ? Array(rest) : [word]
                if word == "--" { break }
                continue
            }
            let name = Self.name(of: word)
            let isComplete = word.contains("=") || known[name]?.isFlag != false
            let value = isComplete ? nil : rest.popFirst()
            if !Self.kept.contains(name) { options.append(value.map { "\(word)=\($0)" } ?? word) }
        }
        try check(known: known)
    }

    /// Checks a plan, also one that another machine sent.
    func check(known: [String: CommandOptions.Option]) throws(Failure) {
        for option in options {
            let name = Self.name(of: option)
            guard option.hasPrefix("--"), Self.planned.contains(name), let kind = known[name],
                kind.isFlag != option.contains("=")
            else {
                throw Failure(
                    .usage, "--\(name.printable) cannot be given with --workers-at; give it to the workers themselves")
            }
            guard name == "video" || name == "audio" else { continue }
            let value = option.drop { $0 != "=" }.dropFirst()
            guard Self.generated.contains(String(value.prefix { $0 != ":" })) else {
                throw Failure(
                    .usage,
                    "--\(name): with --workers-at a source is generated, not '\(String(value).printable)'; give others to the workers themselves"
                )
            }
        }
        for callee in callees where !SignalingLimits.isName(callee) {
            throw Failure(.usage, CallError.invalidUser(callee).description)
        }
    }

    private static func name(of option: String) -> String { String(option.dropFirst(2).prefix { $0 != "=" }) }
}
