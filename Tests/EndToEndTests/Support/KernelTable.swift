import Foundation

/// The tables of the kernel below `/proc`, such as that of all UDP sockets.
enum KernelTable {
    /// The words of each line but the heading; nothing where there is no such table.
    static func rows(_ path: String) -> [[Substring]] {
        // In pieces until its end: String(contentsOfFile:) takes the first page of such a file for the whole.
        let bytes = try? FileHandle(forReadingAtPath: path)?.readToEnd()
        let lines = String(decoding: bytes ?? Data(), as: UTF8.self).split(separator: "\n").dropFirst()
        return lines.map { $0.split(separator: " ") }
    }
}
