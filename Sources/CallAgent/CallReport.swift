public import CallProtocol
internal import Synchronization

/// Everything that one end knows about a call.
public struct CallReport: Sendable, Equatable {
    /// The call's id, the same at both ends.
    public var callId: String
    /// Which end this is.
    public var role: CallRole
    /// This end's user.
    public var user: String
    /// The other end's user.
    public var peer: String
    /// The room of the call.
    public var room: String?
    /// The media of the call.
    public var media: CallMedia
    /// What this end sends, or sent at the end.
    public var sends = MediaState()
    /// The state of the call.
    public var state: CallState
    /// How it ended; nil while it has not.
    public var end: CallEnd?
    /// Who holds it, or held it when it ended.
    public var hold = HoldState.none
    /// When each stage happened.
    public var timeline: CallTimeline
    /// What happened, entry by entry: of more than 512 the first and the last ones.
    public var records: [CallRecord] = []
    /// How many entries ``records`` lacks, after the first 256.
    public var recordsLeftOut = 0
    /// Failures of this end's media that did not end the call, as text for display, such as a TURN server that refused; only the first 64.
    public var warnings: [String] = []
    /// Why a recording of this end is not what was asked for, as text for display; nil: there was none, or all of it was written.
    ///
    /// Of several failures the first; ``warnings`` has all.
    public var recordingFault: String?
    /// When the callee called `accept()`; nil when it did not.
    ///
    /// Measured at the callee. The caller derives it from the message's time, which is as exact as the two clocks agree.
    public var acceptedAtCallee: ContinuousClock.Instant?
    /// The digits that the peer pressed (RFC 4733), in order; only the first few hundred.
    public var dtmfReceived = ""
    /// The sources of this end that had failed when the call ended, at most one of each medium: a test pattern or silence was sent
    /// instead, or nothing.
    public var captureFaults: [CaptureFault] = []
    /// What was sent and received.
    public var statistics: MediaReport
    /// What the application of this end, the caller, sent with the invite in addition to ``AgentConfiguration/extensionData``.
    public var inviteExtension: [String: String] = [:]

    /// How long the call was connected, in ms; nil when it was not.
    public var connectedMs: Double? {
        guard let connected = timeline.milliseconds(of: .connected) else { return nil }
        return timeline.milliseconds(of: .ended).map { $0 - connected }
    }

    /// Whether the caller may want to call again: nobody answered, the callee was busy, or the call broke off.
    ///
    /// ``EndReason/remoteBusy`` distinguishes the two.
    public var offersCallAgain: Bool {
        guard role == .caller, let end else { return false }
        switch end.reason {
        case .remoteBusy, .remoteRejected, .ringTimeout, .remoteRingTimeout, .offline, .connectTimeout,
            .remoteConnectTimeout, .remoteLost, .mediaLost, .mediaFailed, .remoteFailed, .signalingFailed, .unknownCall:
            return true
        default: return false
        }
    }
}

/// One entry of a call's history: a message, a media event or a user action.
public struct CallRecord: Sendable, Equatable {
    /// What the record is about.
    public enum Kind: String, Sendable, Equatable, Codable {
        /// This end's user did something.
        case user
        /// A message was sent.
        case sent
        /// A message was received.
        case received
        /// The media reported something.
        case media
        /// Signaling was lost or is back, or a timer ran out.
        case other
    }

    /// The time, in ms from the start of the call.
    public let milliseconds: Double
    /// What the record is about.
    public let kind: Kind
    /// What happened, in the words of `docs/signaling.md` and `docs/call-states.md`.
    public let action: String
}

/// The reports of the calls that ended last.
final class ReportShelf: Sendable {
    private let reports = Mutex<[CallReport]>([])
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// The oldest first.
    var all: [CallReport] { reports.withLock { $0 } }

    /// When a peer has used the id of one of this end's own calls, the own call is returned.
    func report(_ callId: String) -> CallReport? {
        reports.withLock { reports in
            let found = reports.filter { $0.callId == callId }
            return found.last { $0.role == .caller } ?? found.last
        }
    }

    func keep(_ report: CallReport) {
        reports.withLock { reports in
            reports.append(report)
            if reports.count > capacity { reports.removeFirst() }
        }
    }
}
