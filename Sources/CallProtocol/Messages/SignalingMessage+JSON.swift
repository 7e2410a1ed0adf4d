internal import FoundationEssentials

extension SignalingMessage {
    /// The message as one line of JSON.
    ///
    /// - Throws: ``MalformedMessage`` when a field is beyond ``SignalingLimits``: a message that a peer would refuse is never sent.
    public func encoded() throws(MalformedMessage) -> String {
        try check()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        guard let data = try? encoder.encode(SignalingWire(self)) else {
            throw MalformedMessage(code: 400, text: "the message has a number that JSON cannot hold", ref: id)
        }
        guard data.count <= SignalingLimits.messageBytes else {
            throw MalformedMessage(
                code: 413, text: "the message is longer than \(SignalingLimits.messageBytes) bytes", ref: id)
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Reads one message.
    ///
    /// - Throws: ``MalformedMessage`` with the code for the sender.
    public init(decoding text: String) throws(MalformedMessage) {
        guard text.utf8.count <= SignalingLimits.messageBytes else {
            throw MalformedMessage(code: 413, text: "longer than \(SignalingLimits.messageBytes) bytes", ref: nil)
        }
        guard SignalingLimits.isDecodable(text) else {
            throw MalformedMessage(
                code: 400, text: "nested more than \(SignalingLimits.nesting) deep, or with a NUL", ref: nil)
        }
        guard let wire = try? JSONDecoder().decode(SignalingWire.self, from: Data(text.utf8)) else {
            let head = MessageHead(decoding: text)
            // The other fields of another version or a future type are unknown here.
            if let head, let fault = head.unknownVersionOrType { throw fault }
            throw MalformedMessage(code: 400, text: "not a JSON object of the documented shape", ref: head?.id)
        }
        self = try wire.message()
        try check()
    }

    /// Checks every field against ``SignalingLimits``.
    private func check() throws(MalformedMessage) {
        let isServer = if case .error = body { from.isEmpty } else { false }
        try require(SignalingLimits.isName(id), "id")
        try require(SignalingLimits.isName(callId), "callId")
        try require(isServer || SignalingLimits.isName(from), "from")
        try require(SignalingLimits.isName(to), "to")
        try require(SignalingLimits.generations.contains(generation), "generation")
        try require(sentUnixMs.isFinite && sentUnixMs >= 0, "sentUnixMs")
        try require(device.map(SignalingLimits.isName) ?? true, "device")
        try require(toDevice.map(SignalingLimits.isName) ?? true, "toDevice")
        try require(sequence.map(SignalingLimits.sequences.contains) ?? true, "seq")
        try require(SignalingLimits.epochs.contains(epoch), "epoch")
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
        case .iceRestart(let ice):
            try require(SignalingLimits.restarts.contains(ice.restart), "restart")
            try require(SignalingLimits.isIceText(ice.fragment, atLeast: 4), "fragment")
            try require(SignalingLimits.isIceText(ice.password, atLeast: 22), "password")
        case .error(let fault):
            try require(SignalingLimits.codes.contains(fault.code), "code")
            try require(SignalingLimits.isText(fault.text), "text")
            try require(fault.ref.map(SignalingLimits.isName) ?? true, "ref")
        case .ringing, .gone, .commit, .rollback, .state, .query, .status, .skip: break
        }
    }

    private func requireSDP(_ sdp: String) throws(MalformedMessage) {
        try require((1...SignalingLimits.sdpBytes).contains(sdp.utf8.count), "sdp")
    }

    private func require(_ condition: Bool, _ field: String) throws(MalformedMessage) {
        guard !condition else { return }
        throw MalformedMessage(
            code: 400, text: "the field \(field) is missing or out of bounds",
            ref: SignalingLimits.isName(id) ? id : nil)
    }
}
