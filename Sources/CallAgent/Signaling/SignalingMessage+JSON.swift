internal import FoundationEssentials

extension SignalingMessage {
    /// The message as one line of JSON.
    ///
    /// - Throws: ``SignalingError/malformed(code:text:ref:)`` when a field is beyond ``SignalingLimits``, so that what a peer
    ///   would refuse is never sent.
    public func encoded() throws(SignalingError) -> String {
        try check()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        guard let data = try? encoder.encode(Wire(self)) else {
            throw .malformed(code: 400, text: "the message has a number that JSON cannot hold", ref: id)
        }
        guard data.count <= SignalingLimits.messageBytes else {
            throw .malformed(
                code: 413, text: "the message is longer than \(SignalingLimits.messageBytes) bytes", ref: id)
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Reads one message.
    ///
    /// - Throws: ``SignalingError/malformed(code:text:ref:)`` with the code that the sender is told.
    public init(decoding text: String) throws(SignalingError) {
        guard text.utf8.count <= SignalingLimits.messageBytes else {
            throw .malformed(code: 413, text: "longer than \(SignalingLimits.messageBytes) bytes", ref: nil)
        }
        guard SignalingLimits.isShallow(text) else {
            throw .malformed(code: 400, text: "more than \(SignalingLimits.brackets) brackets", ref: nil)
        }
        let wire: Wire
        do {
            wire = try JSONDecoder().decode(Wire.self, from: Data(text.utf8))
        } catch {
            throw .malformed(code: 400, text: "not a JSON object of the documented shape", ref: nil)
        }
        self = try wire.message()
        try check()
    }

    /// The error that the sender of an unreadable message is told.
    ///
    /// Nil when it cannot be told whom to answer, and for errors, which are never answered.
    static func answer(toUnreadable text: String, _ error: SignalingError, from user: String) -> SignalingMessage? {
        guard case .malformed(let code, let reason, let ref) = error, text.utf8.count <= SignalingLimits.messageBytes,
            SignalingLimits.isShallow(text),
            let wire = try? JSONDecoder().decode(Wire.self, from: Data(text.utf8)), wire.type != "error",
            let sender = wire.from, SignalingLimits.isName(sender), let call = wire.callId, SignalingLimits.isName(call)
        else { return nil }
        let fault = Fault(code: code, text: SignalingLimits.bounded(reason), ref: ref)
        return SignalingMessage(
            id: "unreadable", callId: call, from: user, to: sender, sentUnixMs: 0, body: .error(fault))
    }

    /// Checks every field against ``SignalingLimits``.
    private func check() throws(SignalingError) {
        let isServer = if case .error = body { from.isEmpty } else { false }
        try require(SignalingLimits.isName(id), "id")
        try require(SignalingLimits.isName(callId), "callId")
        try require(isServer || SignalingLimits.isName(from), "from")
        try require(SignalingLimits.isName(to), "to")
        try require((0...SignalingLimits.generation).contains(generation), "generation")
        try require(sentUnixMs.isFinite && sentUnixMs >= 0, "sentUnixMs")
        switch body {
        case .invite(let invite):
            try require(invite.media.audio || invite.media.video, "media")
            try require((1...SignalingLimits.ringTimeoutMs).contains(invite.ringTimeoutMs), "ringTimeoutMs")
            try requireSDP(invite.sdp)
        case .progress(let sdp): try requireSDP(sdp)
        case .accept(let sdp): if let sdp { try requireSDP(sdp) }
        case .reject(let farewell), .cancel(let farewell), .hangup(let farewell):
            try require(SignalingLimits.codes.contains(farewell.code), "code")
            try require(farewell.text.utf8.count <= SignalingLimits.textBytes, "text")
        case .candidate(let candidate):
            try require(candidate.candidate.utf8.count <= SignalingLimits.candidateBytes, "candidate")
            try require((0...SignalingLimits.mLine).contains(candidate.mLine), "mLine")
        case .error(let fault):
            try require(SignalingLimits.codes.contains(fault.code), "code")
            try require(fault.text.utf8.count <= SignalingLimits.textBytes, "text")
            try require(fault.ref.map(SignalingLimits.isName) ?? true, "ref")
        case .ringing, .gone: break
        }
    }

    private func requireSDP(_ sdp: String) throws(SignalingError) {
        try require((1...SignalingLimits.sdpBytes).contains(sdp.utf8.count), "sdp")
    }

    private func require(_ condition: Bool, _ field: String) throws(SignalingError) {
        guard !condition else { return }
        throw .malformed(
            code: 400, text: "the field \(field) is missing or out of bounds",
            ref: SignalingLimits.isName(id) ? id : nil)
    }
}

/// The JSON object itself: flat, every field of every type optional.
private struct Wire: Codable {
    var v: Int?
    var type: String?
    var id: String?
    var callId: String?
    var from: String?
    var to: String?
    var generation: Int?
    var sentUnixMs: Double?
    var media: CallMedia?
    var ringTimeoutMs: Int?
    var sdp: String?
    var code: Int?
    var text: String?
    var candidate: String?
    var mLine: Int?
    var ref: String?

    init(_ message: SignalingMessage) {
        v = SignalingMessage.version
        id = message.id
        callId = message.callId
        from = message.from.isEmpty ? nil : message.from
        to = message.to
        generation = message.generation
        sentUnixMs = message.sentUnixMs
        switch message.body {
        case .invite(let invite):
            type = "invite"
            (media, ringTimeoutMs, sdp) = (invite.media, invite.ringTimeoutMs, invite.sdp)
        case .ringing: type = "ringing"
        case .progress(let answer): (type, sdp) = ("progress", answer)
        case .accept(let answer): (type, sdp) = ("accept", answer)
        case .reject(let farewell): (type, code, text) = ("reject", farewell.code, farewell.text)
        case .cancel(let farewell): (type, code, text) = ("cancel", farewell.code, farewell.text)
        case .hangup(let farewell): (type, code, text) = ("hangup", farewell.code, farewell.text)
        case .candidate(let value): (type, candidate, mLine) = ("candidate", value.candidate, value.mLine)
        case .gone: type = "gone"
        case .error(let fault): (type, code, text, ref) = ("error", fault.code, fault.text, fault.ref)
        }
    }

    func message() throws(SignalingError) -> SignalingMessage {
        let legibleId = id.flatMap { SignalingLimits.isName($0) ? $0 : nil }
        guard v == SignalingMessage.version else {
            throw .malformed(
                code: 426, text: "this end speaks version \(SignalingMessage.version) only", ref: legibleId)
        }
        guard let body = body() else {
            // The type is the sender's word: it is told the length of it at most.
            throw .malformed(code: 426, text: "unknown type, or a field of it is missing", ref: legibleId)
        }
        return SignalingMessage(
            id: id ?? "", callId: callId ?? "", from: from ?? "", to: to ?? "", generation: generation ?? 0,
            sentUnixMs: sentUnixMs ?? 0, body: body)
    }

    private func body() -> SignalingMessage.Body? {
        let farewell = SignalingMessage.Farewell(code: code ?? EndReason.remoteHangup.code, text: text ?? "")
        switch type {
        case "invite":
            guard let media, let sdp else { return nil }
            return .invite(.init(media: media, ringTimeoutMs: ringTimeoutMs ?? 30_000, sdp: sdp))
        case "ringing": return .ringing
        case "progress": return sdp.map { .progress(sdp: $0) }
        case "accept": return .accept(sdp: sdp)
        case "reject": return .reject(farewell)
        case "cancel": return .cancel(farewell)
        case "hangup": return .hangup(farewell)
        case "candidate":
            guard let candidate, let mLine else { return nil }
            return .candidate(.init(candidate: candidate, mLine: mLine))
        case "gone": return .gone
        case "error": return .error(.init(code: code ?? 400, text: text ?? "", ref: ref))
        default: return nil
        }
    }
}
