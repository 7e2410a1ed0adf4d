import Foundation
import TestServers
import Testing

/// What agents can sign in at.
enum SignalingKind: CaseIterable, Sendable {
    /// `callagent serve`.
    case webSocket
    /// A mosquitto.
    case mqtt
    /// `callagent serve --broker`: another server that shares its broker takes its place.
    case relay

    /// Those without a server between.
    static let direct: [SignalingKind] = [.webSocket, .mqtt]
}

/// A signaling server that a test kills and starts again at the same address.
final class MortalServer {
    let url: String
    private var process: Process

    private enum Process {
        case server(Program, options: [String], broker: MQTTBroker?)
        case broker(MQTTBroker)
    }

    init(_ kind: SignalingKind = .webSocket, _ options: [String] = []) async throws {
        switch kind {
        case .webSocket, .relay:
            let broker = kind == .relay ? try await MQTTBroker() : nil
            let options = options + (broker.map { ["--broker", $0.url] } ?? [])
            let program = try await Self.start("127.0.0.1:0", options)
            url = try #require(program.events.first?["url"] as? String)
            process = .server(program, options: options, broker: broker)
        case .mqtt:
            let broker = try await MQTTBroker()
            url = broker.url
            process = .broker(broker)
        }
    }

    /// Kills it like a crash: clients get no message.
    func die() async throws {
        switch process {
        case .server(let program, _, _):
            program.signal(SIGKILL)
            try await program.waitForExit()
        case .broker(let broker): broker.stop()
        }
    }

    /// Stops it in order, with close frames.
    func stop() async throws {
        guard case .server(let program, _, _) = process else { return try await die() }
        program.signal(SIGTERM)
        try await program.waitForExit()
    }

    /// Starts a new process at the old address, without any state.
    func rise() async throws {
        switch process {
        case .server(_, let options, let broker):
            let program = try await Self.start(String(url.dropFirst("ws://".count)), options)
            process = .server(program, options: options, broker: broker)
        case .broker(let broker): try await broker.start()
        }
    }

    /// From now on it receives, and answers nothing.
    func freeze() {
        switch process {
        case .server(let program, _, _): program.signal(SIGSTOP)
        case .broker(let broker): broker.stopAnswering()
        }
    }

    /// Undoes ``freeze()``.
    func thaw() {
        switch process {
        case .server(let program, _, _): program.signal(SIGCONT)
        case .broker(let broker): broker.answerAgain()
        }
    }

    private static func start(_ address: String, _ options: [String]) async throws -> Program {
        let program = try Program(["serve", "--listen", address, "--events"] + options)
        try await eventually("the server listens: \(program.errors)") { program.hasEvent(["event": "serving"]) }
        return program
    }
}
