internal import Foundation

/// The program's exit codes; a contract with scripts.
enum ExitStatus: Int32 {
    case success = 0
    /// Wrong usage, also for the argument parser's own errors.
    case usage = 2
    /// Signaling unreachable, or the sign-in refused.
    case signaling = 3
    /// Rejected, busy, offline, unknown user, ring timeout.
    case notAnswered = 4
    /// Accepted but no media in time, or media lost.
    case noMedia = 5
    /// An expectation of the caller was not met.
    case expectation = 6
    /// Something that this machine lacks: a plugin, a device, a port.
    case prerequisite = 7
    case interrupted = 130
    case terminated = 143

    /// Ends the program here and now.
    ///
    /// Threads of GStreamer may be at work, for which the cleaning up of `exit` would pull the ground away.
    func leave() -> Never {
        fflush(nil)
        _exit(rawValue)
    }
}
