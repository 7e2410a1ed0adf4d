import CallAgent
import Foundation
import Logging
import MQTTSignaling
import WebSocketSignaling

/// Measures the same calls at mosquitto and at `callagent serve`, one after the other, with the transports of agents.
struct TransportComparison {
    let program: String
    /// Where the servers find their files.
    let folder: URL
    let keyFile: String
    let tokens: Tokens
    let devices: Int
    let setUpsPerSecond: Int
    let seconds: Int

    /// Returns the report, for each signaling by its name.
    func run() async throws -> TransportReport {
        let users = (0..<devices).map { "user\($0)" }
        let passwords = Dictionary(uniqueKeysWithValues: users.map { ($0, tokens.token($0)) })
        // A transport logs each sign-in.
        var logger = Logger(label: "signaling")
        logger.logLevel = .warning

        let broker = try await BrokerProcess(folder: folder, passwords: passwords)
        defer { broker.stop() }
        let mosquitto = try await TransportLoad(users: users, perSecond: setUpsPerSecond, server: broker.usage) {
            user in
            MQTTTransport(
                url: "mqtt://127.0.0.1:\(broker.port)", token: { passwords[user] ?? "" }, logger: logger)
        }.run(seconds: seconds)

        let server = try ServerProcess(program: program, keyFile: keyFile)
        defer { server.stop() }
        let serve = try await TransportLoad(users: users, perSecond: setUpsPerSecond, server: server.usage) { user in
            WebSocketTransport(
                url: "ws://127.0.0.1:\(server.port)", token: { passwords[user] ?? "" }, logger: logger)
        }.run(seconds: seconds)
        return TransportReport(
            devices: devices, setUpsPerSecond: setUpsPerSecond, seconds: seconds, mosquitto: mosquitto, serve: serve)
    }
}

/// What the comparison prints.
struct TransportReport: Encodable {
    let devices: Int
    let setUpsPerSecond: Int
    let seconds: Int
    let mosquitto: TransportFigures
    let serve: TransportFigures
    let complaints: [String]

    init(devices: Int, setUpsPerSecond: Int, seconds: Int, mosquitto: TransportFigures, serve: TransportFigures) {
        (self.devices, self.setUpsPerSecond, self.seconds) = (devices, setUpsPerSecond, seconds)
        (self.mosquitto, self.serve) = (mosquitto, serve)
        complaints = mosquitto.complaints.map { "mosquitto: \($0)" } + serve.complaints.map { "serve: \($0)" }
    }

    /// The figures side by side.
    var table: String {
        func line(_ columns: [String]) -> String {
            zip(columns, [46, 36, 36]).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }.joined()
        }
        let title = "\(devices) devices, \(setUpsPerSecond) call set-ups/s for \(seconds) s"
        let rows = zip(mosquitto.rows, serve.rows).map { [$0.0, $0.1, $1.1] }
        return ([["\(title)", "mosquitto", "callagent serve"]] + rows).map(line).joined(separator: "\n")
    }
}
