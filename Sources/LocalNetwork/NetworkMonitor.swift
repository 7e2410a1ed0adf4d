internal import Dispatch
internal import Foundation
internal import Synchronization

/// Reports changes of this machine's addresses, interfaces and routes, for the whole process.
///
/// The kernel's messages (rtnetlink(7)) serve only as a signal to look again: what changed is read with the usual calls.
package final class NetworkMonitor: Sendable {
    /// The monitor of the process; it opens one socket with the first reader and keeps it.
    package static let shared = NetworkMonitor()

    /// A change rarely comes alone: all changes within this time are one.
    private static let debounceTime = DispatchTimeInterval.milliseconds(20)
    // linux/netlink.h and linux/rtnetlink.h, which Swift's Glibc module does not contain.
    private static let family = Int32(16)
    private static let route = Int32(0)
    /// RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_IFADDR and RTMGRP_IPV6_ROUTE.
    private static let groups = UInt32(0x1 | 0x10 | 0x40 | 0x100 | 0x400)

    private struct State {
        var isDebouncing = false
        var latest = NetworkSnapshot.now
        var readers: [Int: AsyncStream<Void>.Continuation] = [:]
        var count = 0
    }
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "network")

    /// Reads on a thread of its own: libdispatch crashes on Linux when read sources come and go on several threads, as an application's
    /// may (https://github.com/swiftlang/swift-corelibs-libdispatch/issues/949).
    private init() {
        guard let handle = Self.open() else { return }
        let thread = Thread { [weak self] in
            var bytes = [UInt8](repeating: 0, count: 16_384)
            // An overflow (ENOBUFS) also means that something changed.
            while recv(handle, &bytes, bytes.count, 0) > 0 || [ENOBUFS, ENOMEM, EINTR].contains(errno) {
                self?.debounce()
            }
        }
        thread.name = "network"
        thread.start()
    }

    /// One element for each change, or for several within a few ms; a slow reader gets one element for all that it missed.
    ///
    /// Ends when its reader's task is cancelled. Without rights to listen to the kernel it never has an element.
    package var changes: AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { state in
                state.count += 1
                state.readers[state.count] = continuation
                return state.count
            }
            continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.readers[number] = nil } }
        }
    }

    /// Reports a change when no further one follows at once.
    private func debounce() {
        let isFirst = state.withLock { state in
            defer { state.isDebouncing = true }
            return !state.isDebouncing
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + Self.debounceTime) { [self] in
            let now = NetworkSnapshot.now
            let readers = state.withLock { state in
                state.isDebouncing = false
                // The kernel also reports what was only renewed.
                guard state.latest != now else { return [AsyncStream<Void>.Continuation]() }
                state.latest = now
                return state.readers.values.map(\.self)
            }
            for reader in readers { reader.yield() }
        }
    }

    /// A socket that receives a message for each change.
    private static func open() -> Int32? {
        let handle = socket(family, Int32(SOCK_RAW.rawValue) | O_CLOEXEC, route)
        guard handle >= 0 else { return nil }
        // sockaddr_nl: the family, padding, the port (the kernel chooses it), the groups.
        var address = sockaddr_storage()
        withUnsafeMutableBytes(of: &address) { bytes in
            bytes.storeBytes(of: UInt16(family), as: UInt16.self)
            bytes.storeBytes(of: groups, toByteOffset: 8, as: UInt32.self)
        }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(handle, $0, 12) == 0 }
        }
        guard isBound else {
            close(handle)
            return nil
        }
        return handle
    }
}
