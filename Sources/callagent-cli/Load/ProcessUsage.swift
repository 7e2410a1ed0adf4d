internal import Foundation
internal import Glibc

/// What a process uses of the machine at one moment.
struct ProcessUsage: Codable, Equatable {
    /// Since the process began, of all its threads.
    let cpuSeconds: Double
    /// Since the process began: how often one of its threads stopped running, by itself or not.
    let contextSwitches: Int
    /// Its pages that are in memory, in kB of 1,024 bytes.
    let residentKB: Int
    let threads: Int
    /// Open files and sockets.
    let descriptors: Int

    /// Of this process, now.
    static var current: ProcessUsage {
        var usage = rusage()
        _ = unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
        let status = Self.status
        return ProcessUsage(
            cpuSeconds: usage.ru_utime.seconds + usage.ru_stime.seconds,
            contextSwitches: usage.ru_nvcsw + usage.ru_nivcsw, residentKB: status["VmRSS"] ?? 0,
            threads: status["Threads"] ?? 0,
            descriptors: (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0)
    }

    /// The numbers of `/proc/self/status` by their names; memory is in kB there.
    private static var status: [String: Int] {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").reduce(into: [:]) { numbers, line in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let word = parts[1].split(whereSeparator: \.isWhitespace).first else { return }
            numbers[String(parts[0])] = Int(word)
        }
    }
}

extension timeval {
    fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1_000_000 }
}
