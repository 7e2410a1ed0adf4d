internal import ArgumentParser
internal import Logging
internal import SignalingServer

/// The command `callagent serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Runs the signaling server.",
        discussion: """
            It listens on loopback unless told otherwise, and lets everybody in by any free name unless there is a \
            --token-key-file; callagent token makes tokens. GET /healthz says whether it takes sign-ins, GET /metrics \
            what it counts (Prometheus). SIGTERM and SIGINT stop it: clients get their last messages and reconnect.
            """)

    @OptionGroup var options: ServeOptions

    @Flag(help: "Print where it listens as a JSON object on one line.")
    var events = false

    @OptionGroup var log: LogOptions
    @OptionGroup var config: ConfigOptions

    func run() async throws {
        let configuration = try options.configuration()
        let logger = log.logger("server")
        let (events, grace) = (events, options.grace.duration)
        OpenFiles.raiseLimit(for: configuration.connections)
        try await Interruption.handled {
            let server: SignalingServer
            do {
                server = try await SignalingServer.start(configuration: configuration, logger: logger)
            } catch let error as SignalingServerError {
                throw Failure(error)
            }
            Self.warn(server, configuration)
            let scheme = configuration.tls == nil ? "ws" : "wss"
            let shown = server.address.contains(":") ? "[\(server.address)]" : server.address
            if events {
                Output.event(ServingDocument(url: "\(scheme)://\(shown):\(server.port)"))
            } else {
                Output.line("signaling at \(scheme)://\(shown):\(server.port)")
            }
            // Until a signal cancels it.
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
            await server.shutdown(grace: grace)
        }
    }

    /// Says aloud what nobody should find out from an abuser.
    private static func warn(_ server: SignalingServer, _ configuration: SignalingServerConfiguration) {
        let isLoopback = server.address.hasPrefix("127.") || server.address == "::1"
        if configuration.tokenKeyFiles.isEmpty, !isLoopback || !configuration.trustedProxies.isEmpty {
            let place = isLoopback ? "the proxy of this server" : server.address
            Output.error("warning: whoever reaches \(place) signs in by any name; use --token-key-file")
        }
        if configuration.tls == nil, !isLoopback {
            Output.error("warning: signaling on \(server.address) is not encrypted; use --tls-cert and --tls-key")
        }
    }

    private struct ServingDocument: Encodable {
        var event = "serving"
        let url: String
    }
}
