/// The local and remote descriptions, as `webrtcbin` makes and takes them.
extension PeerMedia {
    /// Asks webrtcbin for a description.
    nonisolated(nonsending) func create(_ kind: SessionDescription.Kind) async throws(MediaError) -> SessionDescription
    {
        let name = kind == .offer ? "offer" : "answer"
        let reply = try await awaitReply(to: "create-\(name)", pending: pendingReplies) { promise in
            peer.webrtc.emit("create-\(name)", [.emptyStructure, .promise(promise)])
        }
        guard let sdp = reply[name]?.stringValue else { throw .expired(operation: "create-\(name)") }
        return SharedCertificate.correctFingerprint(in: SessionDescription(kind: kind, sdp: sdp), of: certificate)
    }

    /// Adds what webrtcbin omits: it writes one codec, and sometimes telephone events.
    ///
    /// `alternatives` holds all choices of each m-line; webrtcbin knows the first of them.
    /// `transportSequenceIds` are those of ``TransportFeedback`` by m-line, which it omits, too; nil without such reports.
    func addFormats(
        _ alternatives: [[Choice]], transportSequenceIds: [Int?], to description: SessionDescription
    ) -> SessionDescription {
        var local = LocalDescription(description)
        for (index, choices) in alternatives.enumerated() {
            // It numbers them itself, and knows only one codec.
            local.removeRetransmissions(fromMLine: index)
            for choice in choices.dropFirst() {
                let codec = choice.codec
                // What cannot be repeated need not be requested.
                let feedback = codec.feedback.filter { $0 != "nack" || choice.retransmission != nil }
                local.add(choice.payloadType, encoding: codec.rtpmap, feedback: feedback, toMLine: index)
                local.set(parameters(of: choice), of: choice.payloadType, inMLine: index)
            }
            if let id = transportSequenceIds[index] {
                local.addTransportFeedback(id, of: choices.map(\.payloadType), toMLine: index)
            }
            for choice in choices {
                if choice.hasEstimates {
                    local.append("a=rtcp-fb:\(choice.payloadType) \(ReceiverEstimate.name)", toMLine: index)
                }
                if let retransmission = choice.retransmission {
                    local.add(
                        retransmission, encoding: "rtx/\(choice.codec.clockRate)",
                        parameters: "apt=\(choice.payloadType)", toMLine: index)
                }
                for event in choice.telephoneEvents {
                    // From its answer on, webrtcbin writes them with the clock rate of the audio.
                    let rate = description.kind == .answer ? choice.codec.clockRate : event.clockRate
                    local.add(
                        event.payloadType, encoding: TelephoneEvent.rtpmap(clockRate: rate),
                        parameters: TelephoneEvent.parameters, toMLine: index)
                    local.set(TelephoneEvent.parameters, of: event.payloadType, inMLine: index)
                }
            }
        }
        return local.description
    }

    /// Writes what this end requests into a description: webrtcbin writes only what its caps hold.
    func fit(_ description: inout LocalDescription, _ alternatives: [[Choice]]) {
        for (index, choices) in alternatives.enumerated() {
            for choice in choices {
                description.set(parameters(of: choice), of: choice.payloadType, inMLine: index)
                // webrtcbin writes them with the clock rate of the audio.
                for event in choice.telephoneEvents {
                    let encoding = TelephoneEvent.rtpmap(clockRate: event.clockRate)
                    description.rename(event.payloadType, encoding, inMLine: index)
                }
            }
            if let id = choices.lazy.compactMap(\.sendTimeId).first {
                description.append("a=extmap:\(id) \(AbsoluteSendTime.extensionURI)", toMLine: index)
            }
            guard let track = choices.first?.track else { continue }
            if track.kind == .audio, opus.ptimeMs != OpusParameters().ptimeMs {
                description.append("a=ptime:\(opus.ptimeMs)", toMLine: index)
            }
            if let kbit = maxReceiveKbit[track], (1...2_000_000).contains(kbit) {
                description.setBandwidth(kbit: kbit, inMLine: index)
            }
        }
    }

    private func parameters(of choice: Choice) -> String? {
        switch (choice.codec, choice.profile) {
        case (.h264, let profile?): Codec.h264Parameters(profile: profile)
        default: choice.codec.formatParameters(opus)
        }
    }

    /// Keeps the encoders within what the peer's description allows.
    func agree(with remote: RemoteDescription) throws(MediaError) {
        for (section, choice) in zip(remote.sections, choices) {
            try sending[choice.track]?.agree(with: section)
        }
    }

    nonisolated(nonsending) func setLocal(_ description: SessionDescription) async throws(MediaError) {
        // webrtcbin knows its own streams; it would make names of them that GLib keeps until the process ends.
        var unnamed = LocalDescription(description)
        unnamed.removeSources()
        try await set(unnamed.description, "set-local-description")
        peer.ice.reportCandidates()
    }

    nonisolated(nonsending) func setRemote(_ description: SessionDescription) async throws(MediaError) {
        try await set(description, "set-remote-description")
    }

    nonisolated(nonsending) private func set(_ description: SessionDescription, _ operation: String)
        async throws(MediaError)
    {
        let native = try NativeSessionDescription(description)
        _ = try await awaitReply(to: operation, pending: pendingReplies) { promise in
            peer.webrtc.emit(operation, [.description(native), .promise(promise)])
        }
    }
}
