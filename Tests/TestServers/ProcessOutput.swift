package import Foundation
internal import Glibc
internal import Synchronization

/// Reads the output of a process as it arrives, on a thread of its own.
///
/// It replaces `FileHandle.readabilityHandler` and other read sources of libdispatch, which crash on Linux when sources come and go on
/// several threads (https://github.com/swiftlang/swift-corelibs-libdispatch/issues/949).
package final class ProcessOutput: Sendable {
    /// The process writes to this end; ``began()`` closes it in this process.
    package let writingEnd: FileHandle

    private let pipe: Reading

    /// `take` gets the data in order, and `onEnd` is called once when no more can arrive; neither may read.
    package init(
        take: @escaping @Sendable (Data) -> Void, onEnd: @escaping @Sendable () -> Void = {}
    ) throws {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        // No other child process inherits it. Its own process gets it under another number.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A child of the process may keep the pipe open, so no read may wait for the end.
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        let pipe = Reading(ends[0], take, onEnd)
        self.pipe = pipe
        writingEnd = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        let thread = Thread { [weak self] in
            var watched = pollfd(fd: pipe.descriptor, events: Int16(POLLIN), revents: 0)
            // It also ends with this object.
            while !pipe.isOver, self != nil {
                poll(&watched, 1, 200)
                pipe.drain()
            }
        }
        thread.name = "process output"
        thread.start()
    }

    /// Call this when the process has its end of the pipe.
    package func began() { try? writingEnd.close() }

    /// Reads what is available now, on the caller's thread.
    package func drain() { pipe.drain() }

    /// The reading end, which both the thread and ``ProcessOutput/drain()`` read.
    private final class Reading: Sendable {
        let descriptor: Int32
        private let isAtEnd = Mutex(false)
        private let take: @Sendable (Data) -> Void
        private let onEnd: @Sendable () -> Void

        init(_ descriptor: Int32, _ take: @escaping @Sendable (Data) -> Void, _ onEnd: @escaping @Sendable () -> Void) {
            (self.descriptor, self.take, self.onEnd) = (descriptor, take, onEnd)
        }

        deinit { if !isOver { close(descriptor) } }

        var isOver: Bool { isAtEnd.withLock(\.self) }

        func drain() {
            isAtEnd.withLock { isAtEnd in
                var chunk = [UInt8](repeating: 0, count: 65_536)
                while !isAtEnd {
                    let count = read(descriptor, &chunk, chunk.count)
                    if count > 0 {
                        take(Data(chunk[..<count]))
                    } else if count == 0 || errno != EINTR {
                        guard count == 0 || errno != EAGAIN else { return }
                        isAtEnd = true
                        // At once: Foundation may keep a process, and with it this object.
                        close(descriptor)
                        onEnd()
                    }
                }
            }
        }
    }
}
