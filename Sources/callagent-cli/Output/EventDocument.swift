internal import CallAgent

/// One line of `--events`.
///
/// Names may be added, never changed.
struct EventDocument: Encodable {
    /// `listening`, `stateChanged`, `reached` or `report`.
    let event: String
    var callId: String?
    var user: String?
    var peer: String?
    var state: CallState?
    var reason: String?
    var by: String?
    var stage: String?
    var atMs: Double?
    var report: CallDocument?

    init(_ event: String) { self.event = event }

    /// Everything about a call that has ended.
    init(_ report: CallReport) {
        event = "report"
        callId = report.callId
        peer = report.peer
        self.report = CallDocument(report)
    }

    init(_ happened: CallEvent, of call: Call) {
        switch happened {
        case .stateChanged(let change):
            event = "stateChanged"
            state = change.state
            reason = change.reason.name
            by = change.by == .local ? call.user : call.peer
        case .reached(let stage, let milliseconds):
            event = "reached"
            self.stage = stage.rawValue
            atMs = milliseconds.rounded(toPlaces: 2)
        }
        callId = call.id
        peer = call.peer
    }
}

extension ChangeReason {
    /// In JSON: the reason's own name, and for an end that of its ``EndReason``.
    fileprivate var name: String {
        switch self {
        case .placed: "placed"
        case .invited: "invited"
        case .ringing: "ringing"
        case .accepted: "accepted"
        case .firstFrame: "firstFrame"
        case .interrupted: "interrupted"
        case .resumed: "resumed"
        case .ended(let reason): reason.rawValue
        }
    }
}
