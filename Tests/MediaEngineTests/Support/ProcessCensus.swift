import Foundation

/// The threads and open files of this process.
struct ProcessCensus: CustomStringConvertible {
    /// The names of the threads.
    let threads: [String]
    /// The targets of the open files.
    let files: [String]

    /// Lists the threads and files of now.
    static func now() -> ProcessCensus {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let threads = tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
        return ProcessCensus(threads: threads.map { $0.trimmingCharacters(in: .newlines) }, files: openFiles())
    }

    /// How many sockets are open.
    var sockets: Int { files.count { $0.hasPrefix("socket:") } }

    /// The memory of a process, in kB; nil: it has ended.
    static func residentKilobytes(of process: String = "self") -> Int? {
        let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }
    }

    /// Whether this process has the file open.
    static func hasOpen(_ path: String) -> Bool { timesOpen(path) > 0 }

    /// How many times this process has the file open.
    static func timesOpen(_ path: String) -> Int { openFiles().count { $0 == path } }

    private static func openFiles() -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return files.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            // Without the listing itself.
            .filter { !$0.hasPrefix("/proc/") }
    }

    var description: String {
        var counts: [String: Int] = [:]
        // `queue17:src` is the same kind of thread as `queue3:src`, and every socket is the same kind of file.
        for name in threads + files { counts[name.filter { !$0.isNumber }, default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
