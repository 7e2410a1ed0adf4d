import Synchronization

/// What became of the calls and their messages, for all devices together.
final class CallTally: Sendable {
    struct Counts: Sendable {
        /// From sending the invite to the arrival of the ringing, in ns.
        var ringing: [Int64] = []
        /// From sending the invite to the arrival of the accept, in ns.
        var accepts: [Int64] = []
        /// How many calls were begun, and how many of them were accepted and hung up at both ends.
        var begun = 0
        var ended = 0
        /// Messages, acknowledgements included.
        var sent = 0
        var arrived = 0
        /// Errors, and connections that were lost.
        var faults = 0
        var firstFault: String?

        var isQuiet: Bool { ended == begun && arrived == sent }
    }

    private let counts = Mutex(Counts())

    var current: Counts { counts.withLock { $0 } }

    func change(_ body: (inout Counts) -> Void) { counts.withLock { body(&$0) } }

    func fault(_ text: String) {
        change {
            $0.faults += 1
            $0.firstFault = $0.firstFault ?? text
        }
    }

    /// Begins again from 0.
    func reset() { change { $0 = Counts() } }
}
