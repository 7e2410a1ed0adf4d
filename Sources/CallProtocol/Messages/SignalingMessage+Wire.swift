/// The JSON object of a message: flat, every field of every type optional.
struct SignalingWire: Codable {
    var v: Int?
    var type: String?
    var id: String?
    var callId: String?
    var from: String?
    var to: String?
    var device: String?
    var toDevice: String?
    var generation: Int?
    var seq: Int?
    var epoch: Int?
    var sentUnixMs: Double?
    var `extension`: [String: String]?
    var media: CallMedia?
    var state: MediaState?
    var ringTimeoutMs: Int?
    var room: String?
    var displayName: String?
    var address: String?
    var sdp: String?
    var code: Int?
    var text: String?
    var winner: String?
    var candidate: String?
    var mLine: Int?
    var restart: Int?
    var fragment: String?
    var password: String?
    var content: String?
    var callState: CallState?
    var ref: String?

    init(_ message: SignalingMessage) {
        v = SignalingMessage.version
        id = message.id
        callId = message.callId
        from = message.from.isEmpty ? nil : message.from
        to = message.to
        device = message.device
        toDevice = message.toDevice
        generation = message.generation
        seq = message.sequence
        epoch = message.epoch == 0 ? nil : message.epoch
        sentUnixMs = message.sentUnixMs
        `extension` = message.extensionData.isEmpty ? nil : message.extensionData
        fill(message.body)
    }

    private mutating func fill(_ body: SignalingMessage.Body) {
        switch body {
        case .invite(let invite):
            type = "invite"
            (media, ringTimeoutMs, sdp, state) = (invite.media, invite.ringTimeoutMs, invite.sdp, invite.state)
            (room, displayName, address) = (invite.room, invite.displayName, invite.address)
        case .ringing: type = "ringing"
        case .progress(let answer, let change): (type, sdp, state) = ("progress", answer, change)
        case .accept(let answer, let change): (type, sdp, state) = ("accept", answer, change)
        case .reject(let farewell): fill("reject", farewell)
        case .cancel(let farewell): fill("cancel", farewell)
        case .hangup(let farewell): fill("hangup", farewell)
        case .candidate(let value): (type, candidate, mLine) = ("candidate", value.candidate, value.mLine)
        case .offer(let offer): (type, media, sdp) = ("offer", offer.media, offer.sdp)
        case .answer(let answer): (type, sdp) = ("answer", answer)
        case .renegotiate(let wanted): (type, media) = ("renegotiate", wanted)
        case .commit: type = "commit"
        case .rollback: type = "rollback"
        case .iceRestart(let ice):
            (type, restart, fragment, password) = ("iceRestart", ice.restart, ice.fragment, ice.password)
        case .state(let change): (type, state) = ("state", change)
        case .info(let text): (type, content) = ("info", text)
        case .query: type = "query"
        case .skip: type = "skip"
        case .status(let present): (type, callState) = ("status", present)
        case .ack(let message): (type, ref) = ("ack", message)
        case .gone: type = "gone"
        case .error(let fault): (type, code, text, ref) = ("error", fault.code, fault.text, fault.ref)
        }
    }

    private mutating func fill(_ type: String, _ farewell: SignalingMessage.Farewell) {
        (self.type, code, text, winner) = (type, farewell.code, farewell.text, farewell.winner)
    }

    /// The message; its fields are not checked against their bounds yet.
    func message() throws(MalformedMessage) -> SignalingMessage {
        let head = MessageHead(version: v.map(Double.init), type: type, id: id)
        if let fault = head.unknownVersionOrType { throw fault }
        guard let type, let body = body(type) else {
            throw MalformedMessage(code: 400, text: "a field that this type must have is missing", ref: head.id)
        }
        var message = SignalingMessage(
            id: id ?? "", callId: callId ?? "", from: from ?? "", to: to ?? "", generation: generation ?? 0,
            sentUnixMs: sentUnixMs ?? 0, body: body)
        message.device = device
        message.toDevice = toDevice
        message.sequence = seq
        message.epoch = epoch ?? 0
        message.extensionData = `extension` ?? [:]
        return message
    }

    static let types: Set<String> = [
        "invite", "ringing", "progress", "accept", "reject", "cancel", "hangup", "candidate", "offer", "answer",
        "renegotiate", "commit", "rollback", "iceRestart", "state", "info", "query", "status", "skip", "ack", "gone",
        "error",
    ]

    private func body(_ type: String) -> SignalingMessage.Body? {
        let farewell = SignalingMessage.Farewell(
            code: code ?? SignalingCode.ended, text: text ?? "", winner: winner)
        switch type {
        case "invite":
            guard let media, let sdp else { return nil }
            var invite = SignalingMessage.Invite(
                media: media, ringTimeoutMs: ringTimeoutMs ?? 30_000, sdp: sdp, state: state)
            (invite.room, invite.displayName, invite.address) = (room, displayName, address)
            return .invite(invite)
        case "ringing": return .ringing
        case "progress": return sdp.map { .progress(sdp: $0, state: state) }
        case "accept": return .accept(sdp: sdp, state: state)
        case "reject": return .reject(farewell)
        case "cancel": return .cancel(farewell)
        case "hangup": return .hangup(farewell)
        case "candidate":
            guard let candidate, let mLine else { return nil }
            return .candidate(.init(candidate: candidate, mLine: mLine))
        case "offer":
            guard let media, let sdp else { return nil }
            return .offer(.init(media: media, sdp: sdp))
        case "answer": return sdp.map { .answer(sdp: $0) }
        case "renegotiate": return media.map { .renegotiate($0) }
        case "commit": return .commit
        case "rollback": return .rollback
        case "iceRestart":
            guard let restart, let fragment, let password else { return nil }
            return .iceRestart(.init(restart: restart, fragment: fragment, password: password))
        case "state": return state.map { .state($0) }
        case "info": return content.map { .info($0) }
        case "query": return .query
        case "skip": return .skip
        case "status": return callState.map { .status($0) }
        case "ack": return ref.map { .ack($0) }
        case "gone": return .gone
        case "error": return .error(.init(code: code ?? SignalingCode.malformed, text: text ?? "", ref: ref))
        default: return nil
        }
    }
}
