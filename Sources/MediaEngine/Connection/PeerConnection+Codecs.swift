/// The choice of codecs.
extension PeerConnection {
    /// The first format of an offer that this end may use.
    func choice(for section: MediaSection) throws(MediaError) -> PeerMedia.Choice {
        let track = configuration.tracks[section.track]
        let codecs = track?.codecs ?? []
        let known = section.formats.compactMap { format in format.codec.map { (codec: $0, format: format) } }
            .filter { codecs.contains($0.codec) }
        // When none is installed, the first one gives the error that names what is missing.
        guard
            let best = known.first(where: { catalog.hasElements(of: $0.codec, encoders: track?.encoders ?? []) })
                ?? known.first
        else {
            throw .noCommonCodec(media: section.kind.rawValue)
        }
        var choice = PeerMedia.Choice(
            track: section.track, codec: best.codec, payloadType: best.format.payloadType, profile: best.format.profile,
            isStereo: best.format.sendsStereo,
            hasEstimates: section.kind == .video && configuration.tuning.followsBandwidth
                && best.format.feedback.contains(ReceiverEstimate.name))
        agreeOnRetransmission(for: &choice, best.format, section)
        if section.kind == .audio, DtmfSender.isAvailable {
            choice.telephoneEvents = Array(section.telephoneEvents(beside: best.codec.clockRate).prefix(1))
        }
        return choice
    }

    /// The first format of the answer: the peer prefers it and so sends it.
    ///
    /// Formats that were not offered may follow; the peer knows that it cannot send them (RFC 3264 section 6.1).
    /// - Throws: ``MediaError/codecNotOffered(media:)``, rather than waiting for media that this end cannot decode.
    func choice(
        of offered: [PeerMedia.Choice], in section: MediaSection
    ) throws(MediaError) -> PeerMedia.Choice {
        let preferred = section.formats.first { !$0.isAuxiliary }
        guard
            var match = offered.first(where: {
                $0.payloadType == preferred?.payloadType && $0.codec == preferred?.codec
            })
        else { throw .codecNotOffered(media: section.kind.rawValue) }
        match.isStereo = preferred?.sendsStereo ?? false
        if let preferred { agreeOnRetransmission(for: &match, preferred, section, offered: match.retransmission) }
        if configuration.tracks[section.track]?.sendsLevel == true, section.audioLevelId == AudioLevel.offeredId {
            match.audioLevelId = AudioLevel.offeredId
        }
        let taken = section.telephoneEvents(beside: match.codec.clockRate)
        match.telephoneEvents = Array(taken.filter(match.telephoneEvents.contains).prefix(1))
        return match
    }

    /// Agrees on the extension that numbers packets, for the m-lines on which the peer reports, or else on that with the time of sending.
    func agreeOnHeaderExtensions(for choices: inout [PeerMedia.Choice], in remote: RemoteDescription) {
        for (index, section) in zip(choices.indices, remote.sections) {
            let format = section.formats.first { $0.payloadType == choices[index].payloadType }
            let reports = format?.feedback.contains(TransportFeedback.name) == true
            choices[index].transportSequenceId = reports ? section.transportSequenceId : nil
            let takesEstimates = format?.feedback.contains(ReceiverEstimate.name) == true
            choices[index].sendTimeId =
                choices[index].hasEstimates && takesEstimates && !reports ? section.sendTimeId : nil
        }
    }

    /// `offered` is the number in this end's offer; an answer with another one has none.
    private func agreeOnRetransmission(
        for choice: inout PeerMedia.Choice, _ format: MediaSection.Format, _ section: MediaSection, offered: Int? = nil
    ) {
        guard section.kind == .video, configuration.tuning.retransmitsVideo else { return }
        let payloadType = section.retransmission(of: format.payloadType)
        choice.takesNack = format.feedback.contains("nack")
        choice.retransmission = offered == nil || offered == payloadType ? payloadType : nil
    }
}
