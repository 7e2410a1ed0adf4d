internal import ArgumentParser
internal import SignalingServer

/// The command `callagent serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Runs the signaling server.",
        discussion:
            "It has no accounts yet: whoever reaches it signs in by any free name. It listens on loopback unless told otherwise."
    )

    @Option(help: ArgumentHelp("Where to listen; port 0 lets the system choose.", valueName: "HOST:PORT"))
    var listen = "127.0.0.1:8080"

    @Flag(help: "Print where it listens as a JSON object on one line.")
    var events = false

    @OptionGroup var log: LogOptions

    func run() async throws {
        let (host, port) = try Self.address(listen)
        let logger = log.logger("server")
        let events = events
        try await Interruption.handled {
            let server: SignalingServer
            do {
                server = try await SignalingServer.start(configuration: .init(host: host, port: port), logger: logger)
            } catch let error as SignalingServerError {
                throw Failure(error)
            }
            let shown = server.address.contains(":") ? "[\(server.address)]" : server.address
            if events {
                Output.event(ServingDocument(url: "ws://\(shown):\(server.port)"))
            } else {
                Output.line("signaling at ws://\(shown):\(server.port)")
            }
            // Until a signal cancels it.
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
            await server.shutdown()
        }
    }

    private struct ServingDocument: Encodable {
        var event = "serving"
        let url: String
    }

    /// Splits `HOST:PORT`, with an IPv6 address in brackets.
    static func address(_ text: String) throws -> (host: String, port: Int) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port),
            colon != text.startIndex
        else { throw ValidationError("'\(text)' is no HOST:PORT, such as 127.0.0.1:8080") }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return (String(host), port)
    }
}
