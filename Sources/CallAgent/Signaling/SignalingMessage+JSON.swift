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
        guard let data = try? encoder.encode(SignalingWire(self)) else {
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
        let wire: SignalingWire
        do {
            wire = try JSONDecoder().decode(SignalingWire.self, from: Data(text.utf8))
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
            let head = try? JSONDecoder().decode(Head.self, from: Data(text.utf8)), head.type != "error",
            head.type != "ack", let sender = head.from, SignalingLimits.isName(sender), let call = head.callId,
            SignalingLimits.isName(call)
        else { return nil }
        let legible = head.id.flatMap { SignalingLimits.isName($0) ? $0 : nil }
        let fault = Fault(code: code, text: SignalingLimits.bounded(reason), ref: ref ?? legible)
        return SignalingMessage(
            id: "unreadable", callId: call, from: user, to: sender, sentUnixMs: 0, body: .error(fault))
    }

    /// What an answer needs of a message whose other fields may be of the wrong type.
    private struct Head: Decodable {
        var type: String?
        var id: String?
        var from: String?
        var callId: String?
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
        try require(device.map(SignalingLimits.isName) ?? true, "device")
        try require(toDevice.map(SignalingLimits.isName) ?? true, "toDevice")
        try require(sequence.map(SignalingLimits.sequences.contains) ?? true, "seq")
        try require(SignalingLimits.isExtension(extensionData), "extension")
        switch body {
        case .invite(let invite):
            try require(invite.media.audio || invite.media.video, "media")
            try require((1...SignalingLimits.ringTimeoutMs).contains(invite.ringTimeoutMs), "ringTimeoutMs")
            try require(invite.room.map(SignalingLimits.isName) ?? true, "room")
            try require(invite.displayName.map(SignalingLimits.isText) ?? true, "displayName")
            try require(invite.address.map(SignalingLimits.isText) ?? true, "address")
            try requireSDP(invite.sdp)
        case .progress(let sdp, _), .answer(let sdp): try requireSDP(sdp)
        case .accept(let sdp, _): if let sdp { try requireSDP(sdp) }
        case .offer(let offer):
            try require(offer.media.audio || offer.media.video, "media")
            try requireSDP(offer.sdp)
        case .renegotiate(let media): try require(media.audio || media.video, "media")
        case .info(let content): try require(content.utf8.count <= SignalingLimits.infoBytes, "content")
        case .ack(let ref): try require(SignalingLimits.isName(ref), "ref")
        case .reject(let farewell), .cancel(let farewell), .hangup(let farewell):
            try require(SignalingLimits.codes.contains(farewell.code), "code")
            try require(SignalingLimits.isText(farewell.text), "text")
            try require(farewell.winner.map(SignalingLimits.isName) ?? true, "winner")
        case .candidate(let candidate):
            try require(candidate.candidate.utf8.count <= SignalingLimits.candidateBytes, "candidate")
            try require((0...SignalingLimits.mLine).contains(candidate.mLine), "mLine")
        case .error(let fault):
            try require(SignalingLimits.codes.contains(fault.code), "code")
            try require(SignalingLimits.isText(fault.text), "text")
            try require(fault.ref.map(SignalingLimits.isName) ?? true, "ref")
        case .ringing, .gone, .commit, .rollback, .state, .query, .status: break
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
