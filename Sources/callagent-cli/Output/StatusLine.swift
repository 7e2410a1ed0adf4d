internal import Foundation
internal import Logging
internal import Synchronization

/// The last line of a terminal, written again after every change.
///
/// It is on standard error, and only if that is a terminal.
enum StatusLine {
    // The terminal belongs to the whole process, and so does the line.
    private static let parts = Mutex<[(name: String, text: String)]>([])
    private static let clearing = "\r\u{1B}[K"

    /// Shows `text` for `name` and nil removes it; other names keep their text.
    static func show(_ text: String?, for name: String) {
        guard Output.isTerminal else { return }
        parts.withLock { parts in
            let place = parts.firstIndex { $0.name == name }
            switch (place, text) {
            case (let place?, let text?): parts[place].text = text
            case (let place?, nil): parts.remove(at: place)
            case (nil, let text?): parts.append((name, text))
            case (nil, nil): return
            }
            draw(parts)
        }
    }

    /// Lets `write` write whole lines, above the status line.
    static func above(_ write: () -> Void) {
        guard Output.isTerminal else { return write() }
        parts.withLock { parts in
            if !parts.isEmpty { put(clearing) }
            write()
            if !parts.isEmpty { draw(parts) }
        }
    }

    /// The log on standard error, above the status line.
    struct Log: TextOutputStream {
        static func handler(label: String) -> any LogHandler {
            guard Output.isTerminal else { return StreamLogHandler.standardError(label: label) }
            return StreamLogHandler(label: label, stream: Log())
        }

        mutating func write(_ text: String) { StatusLine.above { StatusLine.put(text) } }
    }

    private static func draw(_ parts: [(name: String, text: String)]) {
        let text = parts.map(\.text).joined(separator: "  |  ")
        // A longer line would wrap, and only its last part could be written again.
        put(clearing + text.prefix(max(20, columns - 1)))
    }

    private static func put(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

    private static var columns: Int {
        var size = winsize()
        let isKnown = unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }
}
