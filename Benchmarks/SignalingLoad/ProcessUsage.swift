import Foundation

/// What a process of this machine uses, as `/proc` says it.
struct ProcessUsage: Sendable {
    /// This process.
    static let own = ProcessUsage(identifier: ProcessInfo.processInfo.processIdentifier)

    let identifier: Int32

    /// Its resident memory.
    var residentBytes: Int { status("VmRSS:") * 1_024 }

    var threads: Int { status("Threads:") }

    /// The processor time that it has used, in s.
    var processorSeconds: Double {
        let stat = (try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)) ?? ""
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / 100
    }

    private func status(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        // A tab or spaces stand before the number.
        return line.dropFirst(name.count).split { $0 == " " || $0 == "\t" }.first.flatMap { Int($0) } ?? 0
    }
}
