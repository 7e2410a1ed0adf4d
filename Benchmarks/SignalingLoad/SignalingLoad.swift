import Foundation
import NIOCore
import NIOPosix
import SignalingServer

/// Measures the load that the signaling server can handle on this machine, against the project's own limits.
///
/// Usage: `signaling-load PATH/TO/callagent [CONNECTIONS [EXCHANGES-PER-SECOND [SECONDS]]]`. Text goes to standard error, one JSON
/// document to standard output; the exit code is 6 when a limit is not kept. With `--transports [DEVICES [SET-UPS-PER-SECOND [SECONDS]]]`
/// it compares the server with mosquitto; the exit code is then 1 when a call or a message is lost.
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
        func number(_ index: Int, _ standard: Int) -> Int { max(numbers.dropFirst(index).first ?? standard, 1) }
        // An MQTT transport has two for each connection.
        raiseFileLimit(2 * count + 256)

        let folder = FileManager.default.temporaryDirectory.appending(path: "signaling-load-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let secret = (0..<4).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 36) }.joined() + "0123456789"
        let keyFile = folder.appending(path: "key").path
        let status: Int32
        do {
            defer { try? FileManager.default.removeItem(at: folder) }
            try Data(secret.utf8).write(to: URL(filePath: keyFile))
            let tokens = Tokens(key: try await TokenKey.read(file: keyFile))
            if arguments.contains("--transports") {
                let report = try await TransportComparison(
                    program: program, folder: folder, keyFile: keyFile, tokens: tokens, devices: count,
                    setUpsPerSecond: number(1, 200), seconds: number(2, 30)
                ).run()
                say(report.table)
                try write(report, report.complaints)
                status = report.complaints.isEmpty ? 0 : 1
            } else {
                let report = try await load(
                    program, keyFile, tokens, count, perSecond: number(1, 500), seconds: number(2, 10))
                try write(report, report.complaints)
                status = report.complaints.isEmpty ? 0 : 6
            }
        }
        exit(status)
    }

    /// Measures `callagent serve` with connections that know nothing but its protocol, and with bad ones.
    private static func load(
        _ program: String, _ keyFile: String, _ tokens: Tokens, _ count: Int, perSecond: Int, seconds: Int
    ) async throws -> Report {
        let server = try ServerProcess(program: program, keyFile: keyFile)
        defer { server.stop() }

        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let loop = group.next()
        let abuseLoop = group.next()
        let bytesBefore = server.usage.residentBytes
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
        let perConnection = (server.usage.residentBytes - bytesBefore) / count
        let processorBefore = server.usage.processorSeconds
        let (base, sent) = try await measure(seconds)
        let load = (server.usage.processorSeconds - processorBefore) / Double(seconds)
        say(
            "\(perSecond) exchanges/s: \(base.text); \(perConnection) bytes a connection, \(Int(load * 100)) % of a core"
        )

        var complaints: [String] = []
        if base.p99Ms > p99LimitMs { complaints.append("p99 is above \(p99LimitMs) ms") }
        if base.count < sent * 999 / 1_000 { complaints.append("only \(base.count) of \(sent) messages arrived") }
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
            if latencies.count < sent * 999 / 1_000 {
                complaints.append("\(kind.rawValue): only \(latencies.count) of \(sent) messages arrived")
            }
        }
        let lost = try await loop.submit { exchanges.value.lost }.get()
        if lost > 0 { complaints.append("\(lost) connections were lost") }
        return Report(
            connections: count, exchangesPerSecond: perSecond, signInSeconds: signInSeconds, routing: base,
            serverBytesPerConnection: perConnection, serverCoreShare: load, abused: abused, complaints: complaints)
    }

    private static func write(_ report: some Encodable, _ complaints: [String]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        // Where nothing arrived.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "never", negativeInfinity: "never", nan: "never")
        FileHandle.standardOutput.write(try encoder.encode(report) + Data("\n".utf8))
        for complaint in complaints { say("not kept: \(complaint)") }
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
