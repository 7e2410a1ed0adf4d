import Foundation

/// `callagent serve` in its own process.
final class ServerProcess {
    let port: Int
    private let process = Process()

    init(program: String, keyFile: String) throws {
        process.executableURL = URL(filePath: program)
        process.arguments = ["serve", "--listen", "127.0.0.1:0", "--events", "--token-key-file", keyFile]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        struct Serving: Decodable { var url: String }
        let line = output.fileHandleForReading.availableData
        guard let serving = try? JSONDecoder().decode(Serving.self, from: line),
            let port = URL(string: serving.url)?.port
        else { throw LoadFailure("the server did not start") }
        self.port = port
    }

    /// The resident memory of the process, in bytes.
    func residentBytes() -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1_024
    }

    /// The processor time that the process has used, in s.
    func processorSeconds() -> Double {
        let stat = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)) ?? ""
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / 100
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
