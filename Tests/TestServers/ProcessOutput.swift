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
    /// The thread stops when this end of a pipe closes.
    private let stop: FileHandle

    /// `take` gets the data in order, and `onEnd` is called once when no more can arrive; neither may read.
    package init(
        take: @escaping @Sendable (Data) -> Void, onEnd: @escaping @Sendable () -> Void = {}
    ) throws {
        let (output, writingEnd) = try Self.makePipe()
        let (stopped, stop) = try Self.makePipe()
        // A child of the process may keep the pipe open, so no read may wait for the end.
        _ = fcntl(output.fileDescriptor, F_SETFL, O_NONBLOCK)
        let pipe = Reading(output, take, onEnd)
        (self.writingEnd, self.stop, self.pipe) = (writingEnd, stop, pipe)
        let thread = Thread {
            var watched = [output, stopped].map { pollfd(fd: $0.fileDescriptor, events: Int16(POLLIN), revents: 0) }
            while !pipe.isOver, poll(&watched, 2, -1) >= 0 || errno == EINTR, watched[1].revents == 0 { pipe.drain() }
        }
        thread.name = "process output"
        thread.start()
    }

    deinit { try? stop.close() }

    /// Call this when the process has its end of the pipe.
    package func began() { try? writingEnd.close() }

    /// Reads what is available now, on the caller's thread.
    package func drain() { pipe.drain() }

    private static func makePipe() throws -> (reading: FileHandle, writing: FileHandle) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        // No other child process inherits it. Its own process gets it under another number.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (
            FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
            FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        )
    }

    /// The reading end, which both the thread and ``ProcessOutput/drain()`` read.
    private final class Reading: Sendable {
        private let handle: FileHandle
        private let isAtEnd = Mutex(false)
        private let take: @Sendable (Data) -> Void
        private let onEnd: @Sendable () -> Void

        init(_ handle: FileHandle, _ take: @escaping @Sendable (Data) -> Void, _ onEnd: @escaping @Sendable () -> Void)
        {
            (self.handle, self.take, self.onEnd) = (handle, take, onEnd)
        }

        var isOver: Bool { isAtEnd.withLock(\.self) }

        func drain() {
            isAtEnd.withLock { isAtEnd in
                var chunk = [UInt8](repeating: 0, count: 65_536)
                while !isAtEnd {
                    let count = read(handle.fileDescriptor, &chunk, chunk.count)
                    if count > 0 {
                        take(Data(chunk[..<count]))
                    } else if count == 0 || errno != EINTR {
                        guard count == 0 || errno != EAGAIN else { return }
                        isAtEnd = true
                        onEnd()
                    }
                }
            }
        }
    }
}
