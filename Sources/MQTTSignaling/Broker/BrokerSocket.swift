internal import CMosquitto
internal import Glibc

/// The socket of a connection: waits with poll(), and lets the library read and write.
///
/// For the thread of the connection.
struct BrokerSocket {
    /// A result of the library, with the system's error if there was one.
    struct Step {
        var result: Int32
        var socketError: Int32 = 0

        /// Call it right after the library: it takes the system's error.
        init(_ result: Int32) {
            self.result = result
            if result == Int32(MOSQ_ERR_ERRNO.rawValue) { socketError = errno }
        }

        init(_ error: mosq_err_t, socketError: Int32 = 0) {
            (result, self.socketError) = (Int32(error.rawValue), socketError)
        }
    }

    let handle: OpaquePointer
    /// An eventfd: something was given to the library from another thread.
    let wake: Int32
    let isSecure: Bool

    /// Waits up to a second; `callbacks` returns how many calls of the library there were.
    func step(callbacks: () -> Int) -> Step {
        let socket = mosquitto_socket(handle)
        guard socket >= 0 else { return Step(MOSQ_ERR_NO_CONN) }
        let wanted = POLLIN | (mosquitto_want_write(handle) ? POLLOUT : 0)
        var files = [
            pollfd(fd: socket, events: Int16(wanted), revents: 0),
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&files, 2, 1_000) >= 0 || errno == EINTR else {
            return Step(MOSQ_ERR_ERRNO, socketError: errno)
        }
        if files[1].revents != 0 {
            var count: UInt64 = 0
            _ = read(wake, &count, 8)
        }
        let ready = Int32(files[0].revents)
        if ready & (POLLERR | POLLHUP) != 0, let error = Self.error(of: socket) {
            return Step(MOSQ_ERR_CONN_LOST, socketError: error)
        }
        // A TLS handshake is continued by reading, also when it waits to write; and TLS may hold what the socket no longer shows.
        if ready & ~POLLOUT != 0 || isSecure {
            let step = readAll(callbacks)
            guard step.result == 0 else { return step }
        }
        if mosquitto_socket(handle) >= 0, mosquitto_want_write(handle) {
            let step = Step(mosquitto_loop_write(handle, 1))
            guard step.result == 0 else { return step }
        }
        return Step(mosquitto_loop_misc(handle))
    }

    /// Reads until nothing comes any more: a call may stop after one packet although TLS holds more.
    private func readAll(_ callbacks: () -> Int) -> Step {
        while true {
            let before = callbacks()
            let step = Step(mosquitto_loop_read(handle, 1))
            acknowledgeNow()
            guard step.result == 0, mosquitto_socket(handle) >= 0, callbacks() != before else { return step }
        }
    }

    /// Lets the system acknowledge at once what was read.
    ///
    /// mosquitto leaves Nagle's algorithm on by default, so its next message would wait 40 ms for the delayed acknowledgement of the last one.
    private func acknowledgeNow() {
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(mosquitto_socket(handle), Int32(IPPROTO_TCP), TCP_QUICKACK, &yes, size)
    }

    /// The error of a connection that failed; nil without one.
    private static func error(of socket: Int32) -> Int32? {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0, error != 0 else { return nil }
        return error
    }
}
