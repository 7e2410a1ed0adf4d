internal import CallProtocol

/// The record of an ended call of one inviting device.
///
/// The server does not take part in calls: the record has what the messages that passed the server contained.
struct CallRecord: Sendable, Equatable {
    let callId: String
    let caller: Party
    let callee: String
    /// The device that accepted.
    fileprivate(set) var calleeDevice: String?
    /// When the invite arrived, or the `query` about a call that began before this server did.
    let started: Moment
    /// Whether the record began with such a `query`.
    let isResumed: Bool
    fileprivate(set) var accepted: Moment?
    /// The code of the last `reject`.
    fileprivate(set) var rejection: Int?
    fileprivate(set) var ended: Moment?
    fileprivate(set) var outcome = CallOutcome.gone
    /// The code of the message that ended it.
    fileprivate(set) var code: Int?

    init(callId: String, caller: Party, callee: String, started: Moment, isResumed: Bool) {
        self.callId = callId
        self.caller = caller
        self.callee = callee
        self.started = started
        self.isResumed = isResumed
    }

    /// The duration since the accept; nil for a call without an accept, as far as the server knows.
    var connectedMs: Int? {
        guard let accepted, let ended else { return nil }
        return max(ended.uptimeMs - accepted.uptimeMs, 0)
    }

    mutating func accept(by device: String, at now: Moment) {
        guard accepted == nil else { return }
        (accepted, calleeDevice) = (now, device)
    }

    mutating func reject(_ code: Int?) { rejection = code }

    /// The record of the call with its end.
    func over(_ ending: CallEnding, at now: Moment) -> CallRecord {
        var record = self
        record.ended = now
        (record.outcome, record.code) = CallOutcome.of(ending, rejection: rejection)
        return record
    }
}

/// What removed the last device from a call.
enum CallEnding: Sendable, Equatable {
    /// The caller's `cancel`, to all devices.
    case cancel(code: Int?)
    /// The caller's `cancel` with a `winner`: the winner's answer counts.
    case resolved
    case reject
    case hangup(code: Int?)
    /// The connection of the device that invited closed.
    case gone
}

/// How a call ended; the raw value names it in log and metrics.
enum CallOutcome: String, Sendable, CaseIterable {
    /// A user hung up.
    case completed
    /// The caller gave up.
    case cancelled
    case unanswered
    case busy
    case declined
    /// It continued under another id.
    case replaced
    /// There was no media, the offer could not be used, or an error.
    case failed
    /// The caller's connection closed before it ended.
    case gone

    static func of(_ ending: CallEnding, rejection: Int?) -> (CallOutcome, code: Int?) {
        switch ending {
        case .gone: (.gone, nil)
        case .hangup(let code): (failures.contains(code) ? .failed : .completed, code)
        case .cancel(200): (.replaced, 200)
        case .cancel(487): (.unanswered, 487)
        case .cancel(let code): (.cancelled, code)
        case .resolved, .reject:
            switch rejection {
            case 486: (.busy, rejection)
            case 487: (.unanswered, rejection)
            case let code where failures.contains(code): (.failed, code)
            default: (.declined, rejection)
            }
        }
    }

    private static let failures: Set<Int?> = [408, 488, 9906]
}
