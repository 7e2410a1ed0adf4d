internal import ArgumentParser
internal import Foundation
internal import Logging
internal import SignalingServer

/// The command `callagent serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Runs the signaling server.",
        discussion: """
            It listens on loopback by default. Without --token-key-file anybody may sign in with any name that is \
            free; callagent token makes tokens. GET /healthz says whether it takes sign-ins, GET /metrics \
            has its counters (Prometheus). SIGTERM and SIGINT stop it: clients get their last messages and reconnect.
            """)

    @OptionGroup var options: ServeOptions
    @OptionGroup var broker: BrokerOptions

    @Flag(help: "Print where it listens, where its page is and who may sign in as a JSON object on one line.")
    var events = false

    @OptionGroup var log: LogOptions
    @OptionGroup var config: ConfigOptions

    func validate() throws {
        // Its account may speak in every name at the broker.
        guard broker.brokerTokenFile == nil || !options.tokenKeyFile.isEmpty else {
            throw ValidationError(
                "--broker-token-file needs --token-key-file: without it anybody could speak in any name at the broker")
        }
    }

    func run() async throws {
        let configuration = try options.configuration()
        let relay = try broker.relay(logger: log.logger("broker"))
        let logger = log.logger("server")
        let (events, grace) = (events, options.grace.duration)
        OpenFiles.raiseLimit(for: configuration.connections)
        try await Interruption.handled {
            let server: Server
            do {
                server = try await Server.start(configuration: configuration, relay: relay, logger: logger)
            } catch let error as ServerError {
                throw Failure(error)
            }
            Self.warn(server, configuration)
            let document = ServingDocument(server, configuration)
            if events {
                Output.event(document)
            } else {
                for line in document.lines { Output.line(line) }
            }
            // Until a signal cancels it.
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
            await server.shutdown(grace: grace)
        }
    }

    /// Warns of a server that anybody can use, or whose messages anybody can read.
    private static func warn(_ server: Server, _ configuration: ServerConfiguration) {
        let isLoopback = server.address.hasPrefix("127.") || server.address == "::1"
        if configuration.tokenKeyFiles.isEmpty, !isLoopback || !configuration.trustedProxies.isEmpty {
            let place = isLoopback ? "the proxy of this server" : server.address
            Output.error("warning: anybody who reaches \(place) may sign in with any name; use --token-key-file")
        }
        if configuration.tls == nil, !isLoopback {
            Output.error("warning: signaling on \(server.address) is not encrypted; use --tls-cert and --tls-key")
        }
    }

    /// Where it listens, and who may sign in.
    private struct ServingDocument: Encodable {
        enum SignIn: String, Encodable {
            case open
            case token
        }

        var event = "serving"
        /// When, in ms since 1970.
        let unixMs = Output.unixMs
        let url: String
        let page: String
        let signIn: SignIn

        init(_ server: Server, _ configuration: ServerConfiguration) {
            let host = server.address.contains(":") ? "[\(server.address)]" : server.address
            let isSecure = configuration.tls != nil
            url = "\(isSecure ? "wss" : "ws")://\(host):\(server.port)"
            // A server that listens on all addresses is reached at localhost, too.
            let isAny = ["0.0.0.0", "::"].contains(server.address)
            page = "\(isSecure ? "https" : "http")://\(isAny ? "localhost" : host):\(server.port)/"
            signIn = configuration.tokenKeyFiles.isEmpty ? .open : .token
        }

        /// For people.
        var lines: [String] {
            let who =
                switch signIn {
                case .open: "anybody may sign in with any name that is free"
                case .token: "users sign in with a token"
                }
            return ["signaling at \(url)", "page at \(page)", who]
        }
    }
}
