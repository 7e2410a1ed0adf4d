internal import Dispatch
package import Foundation
internal import Synchronization

/// Reads the output of a process as it arrives.
///
/// It replaces `FileHandle.readabilityHandler`. The descriptor of that may be closed, and its number reused, while libdispatch still watches
/// it: libdispatch crashes then. Here the source's own cancel handler closes it.
package final class ProcessOutput: Sendable {
    /// The process writes to this end; ``began()`` closes it in this process.
    package let writingEnd: FileHandle

    private let descriptor: Int32
    // Dispatch sources may be used on any thread, which their type does not say.
    private nonisolated(unsafe) let source: any DispatchSourceRead
    private let isAtEnd = Mutex(false)
    private let take: @Sendable (Data) -> Void
    private let onEnd: @Sendable () -> Void

    /// `take` gets the data in order, and `onEnd` is called once when no more can arrive; neither may read.
    package init(
        take: @escaping @Sendable (Data) -> Void, onEnd: @escaping @Sendable () -> Void = {}
    ) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        // No other child process inherits it. Its own process gets it under another number.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let descriptor = ends[0]
        // A child of the process may keep the pipe open, so no read may wait for the end.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        self.descriptor = descriptor
        writingEnd = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        (self.take, self.onEnd) = (take, onEnd)
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "process output"))
        source.setEventHandler { [weak self] in self?.drain() }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit { source.cancel() }

    /// Call this when the process has its end of the pipe.
    package func began() { try? writingEnd.close() }

    /// Reads what is available now, on the caller's thread.
    package func drain() {
        isAtEnd.withLock { isAtEnd in
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while !isAtEnd {
                let count = read(descriptor, &chunk, chunk.count)
                if count > 0 {
                    take(Data(chunk[..<count]))
                } else if count == 0 || errno != EINTR {
                    guard count == 0 || errno != EAGAIN else { return }
                    isAtEnd = true
                    source.cancel()
                    onEnd()
                }
            }
        }
    }
}
