import Foundation

/// A table of the kernel below `/proc`, such as that of all UDP sockets.
enum KernelTable {
    /// The words of each line but the heading; empty if there is no such table.
    static func rows(_ path: String) -> [[Substring]] {
        // Reads in pieces until the end: String(contentsOfFile:) returns only the first page of such a file.
        let bytes = try? FileHandle(forReadingAtPath: path)?.readToEnd()
        let lines = String(decoding: bytes ?? Data(), as: UTF8.self).split(separator: "\n").dropFirst()
        return lines.map { $0.split(separator: " ") }
    }
}
