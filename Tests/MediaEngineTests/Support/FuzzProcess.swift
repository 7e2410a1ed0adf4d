import Foundation
import TestServers
import Testing

@testable import MediaEngine

/// The program `fuzz-target`, which applies descriptions outside the test process.
final class FuzzProcess: Sendable {
    struct Reply: Decodable {
        var answer: String?
        var refusal: String?
        var candidatesTaken: Int
    }

    /// The process crashed, or did not reply in time.
    struct Failure: Error, CustomStringConvertible { let description: String }

    private struct Request: Encodable {
        let isOffer: Bool
        let sdp: String
        let candidates: [String]
    }

    private let process = Process()
    private let input = Pipe()
    private let replies: AsyncStream<String>
    private let output: ProcessOutput
    private let isOverdue = Shared(false)

    init() throws {
        // Next to the test runner.
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("fuzz-target")
        // A write to a crashed process is an error, not a signal.
        signal(SIGPIPE, SIG_IGN)
        process.standardInput = input
        process.standardError = FileHandle.nullDevice
        let (replies, continuation) = AsyncStream.makeStream(of: String.self)
        self.replies = replies
        let rest = Shared("")
        output = try ProcessOutput { data in
            let lines = rest.update { rest in
                var lines = (rest + String(decoding: data, as: UTF8.self)).split(
                    separator: "\n", omittingEmptySubsequences: false)
                rest = String(lines.removeLast())
                return lines.map(String.init)
            }
            for line in lines { continuation.yield(line) }
        } onEnd: {
            continuation.finish()
        }
        process.standardOutput = output.writingEnd
        try process.run()
        output.began()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var residentKilobytes: Int? { ProcessCensus.residentKilobytes(of: "\(process.processIdentifier)") }

    /// - Throws: ``Failure``; then the process has ended.
    func reply(to damaged: DamagedDescription) async throws -> Reply {
        let request = Request(
            isOffer: damaged.kind == .offer, sdp: damaged.sdp, candidates: damaged.candidates)
        try? input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(request) + Data("\n".utf8))
        let alarm = Task { [isOverdue, pid = process.processIdentifier] in
            try await Task.sleep(for: deadline)
            isOverdue.set(true)
            kill(pid, SIGKILL)
        }
        defer { alarm.cancel() }
        guard let line = await replies.first(where: { _ in true }) else {
            if isOverdue.value { throw Failure(description: "no reply within \(deadline)") }
            try await eventually("the end of the process") { !self.process.isRunning }
            throw Failure(description: "the process ended with status \(process.terminationStatus)")
        }
        return try JSONDecoder().decode(Reply.self, from: Data(line.utf8))
    }
}
