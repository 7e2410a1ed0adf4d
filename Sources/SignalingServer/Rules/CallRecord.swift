internal import CallProtocol

/// What the server saw of one call of one device that invited, once it is over.
///
/// The server does not take part in calls: this is what their messages say, as far as they passed here.
struct CallRecord: Sendable, Equatable {
    let callId: String
    let caller: Party
    let callee: String
    /// The device that accepted.
    fileprivate(set) var calleeDevice: String?
    /// When the invite came, or the question about a call that began before this server did.
    let started: Moment
    /// Whether it began with such a question.
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

    /// How long it lasted since it was accepted; nil for a call that was not, as far as the server knows.
    var connectedMs: Int? {
        guard let accepted, let ended else { return nil }
        return max(ended.uptimeMs - accepted.uptimeMs, 0)
    }

    mutating func accept(by device: String, at now: Moment) {
        guard accepted == nil else { return }
        (accepted, calleeDevice) = (now, device)
    }

    mutating func reject(_ code: Int?) { rejection = code }

    /// The call as it ended.
    func over(_ ending: CallEnding, at now: Moment) -> CallRecord {
        var record = self
        record.ended = now
        (record.outcome, record.code) = CallOutcome.of(ending, rejection: rejection)
        return record
    }
}

/// What took the last device out of a call.
enum CallEnding: Sendable, Equatable {
    /// The caller's `cancel`, to all devices.
    case cancel(code: Int?)
    /// The caller's `cancel` with a `winner`: what that one said counts.
    case settle
    case reject
    case hangup(code: Int?)
    /// The connection of the device that invited closed.
    case gone
}

/// How a call ended; the raw value names it in log and metrics.
enum CallOutcome: String, Sendable, CaseIterable {
    /// Somebody hung up.
    case completed
    /// The caller gave up.
    case cancelled
    case unanswered
    case busy
    case declined
    /// It went on under another id.
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
        case .settle, .reject:
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
