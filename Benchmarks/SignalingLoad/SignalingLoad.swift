import Foundation
import NIOCore
import NIOPosix
import SignalingServer

/// Measures the load that the signaling server can handle on this machine, against the project's own limits.
///
/// Usage: `signaling-load PATH/TO/callagent [CONNECTIONS [EXCHANGES-PER-SECOND [SECONDS]]]`. Text goes to standard error, one JSON
/// document to standard output; the exit code is 6 when a limit is not kept.
@main
struct SignalingLoad {
    private static let p99LimitMs = 20.0
    /// Below this a ratio says more about the machine's other work than about the server.
    private static let ratioFloorMs = 2.0

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let program = arguments.first else { throw LoadFailure("usage: signaling-load PATH/TO/callagent") }
        let numbers = arguments.dropFirst().compactMap { Int($0) }
        let count = max((numbers.first ?? 2_000) / 2 * 2, 2)
        let perSecond = max(numbers.dropFirst().first ?? 500, 1)
        let seconds = max(numbers.dropFirst(2).first ?? 10, 1)
        raiseFileLimit(count + 256)

        let keyFile = FileManager.default.temporaryDirectory.appending(path: "signaling-load-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: keyFile) }
        let secret = (0..<4).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 36) }.joined() + "0123456789"
        try Data(secret.utf8).write(to: URL(filePath: keyFile))
        let tokens = Tokens(key: try await TokenKey.read(file: keyFile))
        let server = try ServerProcess(program: program, keyFile: keyFile)
        defer { server.stop() }

        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let loop = group.next()
        let abuseLoop = group.next()
        let bytesBefore = server.residentBytes()
        let start = ContinuousClock.now
        let exchanges = try await connect(count, tokens, server.port, perSecond, loop)
        let signInSeconds = (ContinuousClock.now - start) / .seconds(1)
        say("\(count) connections signed in within \(signInSeconds.formatted(.number.precision(.fractionLength(1)))) s")

        func measure(_ seconds: Int) async throws -> (Latencies, sent: Int) {
            let result = try await loop.flatSubmit { exchanges.value.run(for: .seconds(Int64(seconds))) }.get()
            return (Latencies(result.latencies), result.sent)
        }
        // Warm-up: the server needs buffers once, and the processor must raise its clocks.
        _ = try await measure(2)
        let perConnection = (server.residentBytes() - bytesBefore) / count
        let processorBefore = server.processorSeconds()
        let (base, sent) = try await measure(seconds)
        let load = (server.processorSeconds() - processorBefore) / Double(seconds)
        say(
            "\(perSecond) exchanges/s: \(base.text); \(perConnection) bytes a connection, \(Int(load * 100)) % of a core"
        )

        var complaints: [String] = []
        if base.p99Ms > p99LimitMs { complaints.append("p99 is above \(p99LimitMs) ms") }
        if base.messages < sent * 999 / 1_000 { complaints.append("only \(base.messages) of \(sent) messages arrived") }
        var abused: [String: Latencies] = [:]
        for kind in Abuser.Kind.allCases {
            // Measured right before, so that the machine's other work affects both.
            let (before, _) = try await measure(max(seconds / 2, 1))
            let abuser = NIOLoopBoundBox.makeBoxSendingValue(
                Abuser(kind, port: server.port, tokens: tokens, loop: abuseLoop), eventLoop: abuseLoop)
            abuseLoop.execute { abuser.value.start() }
            let (latencies, sent) = try await measure(max(seconds / 2, 1))
            let connections = try await abuseLoop.submit { abuser.value.stop() }.get()
            abused[kind.rawValue] = latencies
            say(
                "\(kind.rawValue) (\(connections) connections of it): \(latencies.text); p99 before: \(before.p99Ms) ms"
            )
            if latencies.p99Ms > 2 * max(before.p99Ms, ratioFloorMs) {
                complaints.append("\(kind.rawValue) more than doubles the others' p99")
            }
            if latencies.messages < sent * 999 / 1_000 {
                complaints.append("\(kind.rawValue): only \(latencies.messages) of \(sent) messages arrived")
            }
        }
        let lost = try await loop.submit { exchanges.value.lost }.get()
        if lost > 0 { complaints.append("\(lost) connections were lost") }
        let report = Report(
            connections: count, exchangesPerSecond: perSecond, signInSeconds: signInSeconds, routing: base,
            serverBytesPerConnection: perConnection, serverCoreShare: load, abused: abused, complaints: complaints)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        FileHandle.standardOutput.write(try encoder.encode(report) + Data("\n".utf8))
        for complaint in complaints { say("not kept: \(complaint)") }
        server.stop()
        exit(complaints.isEmpty ? 0 : 6)
    }

    private static func connect(
        _ count: Int, _ tokens: Tokens, _ port: Int, _ perSecond: Int, _ loop: any EventLoop
    ) async throws -> NIOLoopBoundBox<Exchanges> {
        var clients: [NIOLoopBound<LoadClient>] = []
        // As many at once as a listener has room for.
        for first in stride(from: 0, to: count, by: 50) {
            let batch = (first..<min(first + 50, count)).map { number in
                loop.flatSubmit {
                    LoadClient.connect(
                        user: "user\(number)", token: tokens.token("user\(number)"), port: port, loop: loop)
                }
            }
            for client in batch { clients.append(try await client.get()) }
        }
        let all = clients
        return try await loop.submit {
            NIOLoopBoundBox(Exchanges(all.map(\.value), perSecond: perSecond, loop: loop), eventLoop: loop)
        }.get()
    }

    private static func raiseFileLimit(_ wanted: Int) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(max(limit.rlim_cur, rlim_t(wanted)), limit.rlim_max)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}

/// What the benchmark prints.
struct Report: Encodable {
    var connections: Int
    var exchangesPerSecond: Int
    var signInSeconds: Double
    var routing: Latencies
    var serverBytesPerConnection: Int
    var serverCoreShare: Double
    var abused: [String: Latencies]
    var complaints: [String]
}
