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

    var usage: ProcessUsage { ProcessUsage(identifier: process.processIdentifier) }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
