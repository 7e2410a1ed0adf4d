internal import Synchronization

/// Pushes what leaves an outlet into an `appsrc`, by reference.
final class SinkFeed: Sendable {
    private let source: Element
    private let caps = Mutex<CapsRef?>(nil)

    init(_ source: Element) { self.source = source }

    func push(_ buffer: OutletBuffer) {
        let isNews = caps.withLock { caps in
            defer { caps = buffer.caps }
            return caps?.isSame(as: buffer.caps) != true
        }
        // The queue keeps caps and data in order.
        if isNews { try? source.set("caps", buffer.caps.text) }
        _ = source.push(buffer.buffer.copy(at: buffer.time))
    }
}
