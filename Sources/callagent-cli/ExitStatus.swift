internal import Foundation

/// The program's exit codes; scripts rely on them.
enum ExitStatus: Int32 {
    case success = 0
    /// Wrong usage, including the argument parser's own errors.
    case usage = 2
    /// Signaling unreachable, or the sign-in refused.
    case signaling = 3
    /// Rejected, busy, offline, unknown user, ring timeout.
    case notAnswered = 4
    /// Accepted but no media in time, media lost, or a source of this end was in a failed state at the end.
    case noMedia = 5
    /// An expectation of the caller was not met.
    case expectation = 6
    /// This machine lacks something: a plugin, a device, a port.
    case prerequisite = 7
    case interrupted = 130
    case terminated = 143

    /// Ends the program immediately.
    ///
    /// `exit` would run the libraries' destructors while threads of GStreamer may still be at work. A thread that loads a plugin meanwhile runs
    /// GObject's constructor a second time, which aborts.
    func leave() -> Never {
        fflush(nil)
        _exit(rawValue)
    }
}
