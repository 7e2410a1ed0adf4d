internal import CallAgent
internal import Foundation
internal import MediaEngine
internal import RoomClient

/// One line of `--events`.
struct EventDocument: Encodable {
    /// `listening`, `stateChanged`, `reached`, `statistics`, `extension`, `action`, `report`, the name of a notice such as `holdChanged`, or
    /// the name of an agent's event such as `refusedAsBusy` or `agentStateChanged`.
    let event: String
    /// When, in ms since 1970.
    let unixMs = Output.unixMs
    var callId: String?
    var user: String?
    var peer: String?
    var state: CallState?
    var agentState: String?
    var reason: String?
    var by: String?
    var stage: String?
    var atMs: Double?
    var hold: HoldState?
    var peerSends: MediaState?
    var media: CallMedia?
    var device: String?
    /// Where calls come from: the signaling server, or the media server that this program is.
    var url: String?
    var digit: String?
    var fault: FaultDocument?
    /// `audio` or `video`.
    var kind: String?
    var attributes: AttributesDocument?
    var networkChange: NetworkPathChange?
    var adaptation: AdaptationDocument?
    var content: String?
    var text: String?
    var action: String?
    var ageMs: Int?
    /// The type of a message in docs/signaling.md.
    var type: String?
    var code: Int?
    var count: Int?
    var expiresInMs: Int?
    var room: String?
    var role: CallRole?
    /// Who is in a room.
    var names: [String]?
    var displayName: String?
    var address: String?
    var `extension`: [String: String]?
    var report: DetailedCallDocument?
    /// The totals, with W3C's names.
    var statistics: StatisticsReport?
    /// The rates since the previous statistics.
    var interval: StatisticsDelta?

    /// An event of the program itself.
    init(_ event: String, of user: String, text: String? = nil) {
        self.event = event
        self.user = user
        self.text = text
    }

    /// Everything about a call that has ended.
    init(_ ended: EndedCall) {
        event = "report"
        callId = ended.report.callId
        peer = ended.report.peer
        report = DetailedCallDocument(ended)
    }

    init(_ happened: CallEvent, of call: Call) {
        self.init(happened, callId: call.id, user: call.user, peer: call.peer)
    }

    init(_ happened: CallEvent, callId: String, user: String, peer: String) {
        switch happened {
        case .stateChanged(let change):
            event = "stateChanged"
            state = change.state
            reason = change.reason.name
            by = change.by == .local ? user : peer
        case .reached(let stage, let milliseconds):
            event = "reached"
            self.stage = stage.rawValue
            atMs = milliseconds.rounded(toPlaces: 2)
        case .attributesChanged(let attributes):
            event = "attributesChanged"
            self.attributes = AttributesDocument(attributes)
        case .notice(let notice):
            event = notice.name
            fill(notice)
        case .statistics(let statistics):
            event = "statistics"
            self.statistics = statistics.report
            interval = statistics.delta
        case .extensionData(let data):
            event = "extension"
            `extension` = RoomInvitation.withoutPIN(data)
        case .eventsDropped(let count):
            event = "eventsDropped"
            self.count = count
        }
        self.callId = callId
        self.peer = peer
    }

    /// Nil for events that `--events` does not print.
    init?(_ happened: AgentEvent, of user: String) {
        switch happened {
        case .stateChanged(let change):
            // The program's own actions cause the other states.
            guard change.state == .failed else { return nil }
            event = "agentStateChanged"
            (agentState, reason) = (change.state.rawValue, change.reason.name)
            by = change.by == .server ? "server" : user
        case .signalingLost(let text):
            event = "signalingLost"
            self.text = text
        case .signalingRestored: event = "signalingRestored"
        case .tokenWillExpire(let milliseconds):
            event = "tokenWillExpire"
            expiresInMs = milliseconds
        case .tokenRenewed: event = "tokenRenewed"
        case .tokenNotRenewed(let text):
            event = "tokenNotRenewed"
            self.text = text
        case .refusedAsBusy(let peer, let callId):
            event = "refusedAsBusy"
            (self.peer, self.callId) = (peer, callId)
        case .inviteRefused(let peer, let callId, let code):
            event = "inviteRefused"
            (self.peer, self.callId, self.code) = (peer, callId, code)
        case .inviteExpired(let peer, let callId, let age):
            event = "inviteExpired"
            (self.peer, self.callId, ageMs) = (peer, callId, age)
        case .messageNotDelivered(let peer, let callId, let type, let code, let text):
            event = "messageNotDelivered"
            (self.peer, self.callId, self.type, self.code, self.text) = (peer, callId, type, code, text)
        case .eventsDropped(let count):
            event = "eventsDropped"
            self.count = count
        }
        self.user = user
    }

    /// Adds the user, the role, the media and the caller's data of the invite.
    mutating func describe(_ call: Call, media: CallMedia) {
        (user, role, room, self.media) = (call.user, call.role, call.room, media)
        (displayName, address) = (call.callerDisplayName, call.callerAddress)
        `extension` = call.inviteExtension.isEmpty ? nil : RoomInvitation.withoutPIN(call.inviteExtension)
    }

    private mutating func fill(_ notice: CallNotice) {
        switch notice {
        case .holdChanged(let hold): self.hold = hold
        case .peerMediaChanged(let state): peerSends = state
        case .info(let content): self.content = RoomInvitation.withoutPIN(info: content)
        case .mediaChanged(let media): self.media = media
        case .mediaChangeFailed(let text), .mediaWarning(let text): self.text = text
        case .messageNotDelivered(let type, let code, let text): (self.type, self.code, self.text) = (type, code, text)
        case .networkChangeStarted(let party): by = party.rawValue
        case .networkChangeEnded(let change): networkChange = change
        case .videoAdapted(let change): adaptation = AdaptationDocument(change)
        case .dtmf(let digit): self.digit = digit
        case .captureFailed(let fault), .captureLost(let fault):
            (kind, self.fault) = (fault.medium.rawValue, FaultDocument(fault))
        case .captureRestored(let medium): kind = medium.rawValue
        case .trackFailed(let fault): (kind, self.fault) = (fault.medium.rawValue, FaultDocument(fault))
        case .deviceRings(let device): self.device = device
        case .videoPending, .auditUnanswered, .signalingLost, .signalingRestored: break
        }
    }
}

/// The sent video before and after an adaptation, and `bandwidth`, `cpu` or `recovery`.
struct AdaptationDocument: Encodable {
    struct Video: Encodable {
        let width: Int
        let height: Int
        let frameRate: Double

        init(_ video: VideoChange.Video) {
            (width, height) = (video.size.width, video.size.height)
            frameRate = video.frameRate.rounded(toPlaces: 1)
        }
    }
    let from: Video
    let to: Video
    let reason: String

    init(_ change: VideoChange) {
        (from, to, reason) = (Video(change.from), Video(change.to), change.reason.rawValue)
    }
}

extension CallNotice {
    /// The name in JSON.
    fileprivate var name: String {
        switch self {
        case .holdChanged: "holdChanged"
        case .peerMediaChanged: "peerMediaChanged"
        case .info: "info"
        case .videoPending: "videoPending"
        case .mediaChanged: "mediaChanged"
        case .mediaChangeFailed: "mediaChangeFailed"
        case .deviceRings: "deviceRings"
        case .networkChangeStarted: "networkChangeStarted"
        case .networkChangeEnded: "networkChangeEnded"
        case .videoAdapted: "adaptation"
        case .dtmf: "dtmf"
        case .captureFailed: "captureFailed"
        case .captureLost: "captureLost"
        case .captureRestored: "captureRestored"
        case .trackFailed: "trackFailed"
        case .mediaWarning: "mediaWarning"
        case .messageNotDelivered: "messageNotDelivered"
        case .auditUnanswered: "auditUnanswered"
        case .signalingLost: "signalingLost"
        case .signalingRestored: "signalingRestored"
        }
    }
}

extension ChangeReason {
    /// The name in JSON: the reason's own name, or the ``EndReason`` for an end.
    fileprivate var name: String {
        switch self {
        case .placed: "placed"
        case .invited: "invited"
        case .ringing: "ringing"
        case .accepted: "accepted"
        case .glare: "glare"
        case .firstFrame: "firstFrame"
        case .interrupted: "interrupted"
        case .resumed: "resumed"
        case .ended(let reason): reason.rawValue
        }
    }
}
