/// Which codecs are used.
extension PeerConnection {
    /// Of an offer the first format that this end may use.
    func choice(for section: MediaSection) throws(MediaError) -> PeerMedia.Choice {
        let track = configuration.tracks[section.kind]
        let codecs = track?.codecs ?? []
        let known = section.formats.compactMap { format in format.codec.map { (codec: $0, format: format) } }
            .filter { codecs.contains($0.codec) }
        // When none is installed, the first says what is missing.
        guard
            let best = known.first(where: { catalog.hasElements(of: $0.codec, encoders: track?.encoders ?? []) })
                ?? known.first
        else {
            throw .noCommonCodec(media: section.kind.rawValue)
        }
        let telephoneEvent = section.telephoneEvent(clockRate: best.codec.clockRate)
        return .init(
            codec: best.codec, payloadType: best.format.payloadType, profile: best.format.profile,
            isStereo: best.format.sendsStereo,
            telephoneEvent: section.kind == .audio && DtmfSender.isAvailable ? telephoneEvent : nil)
    }

    /// The first of the answer's formats that were offered: what the peer sends, since it prefers it.
    func choice(
        of offered: [PeerMedia.Choice], in section: MediaSection
    ) throws(MediaError) -> PeerMedia.Choice {
        for format in section.formats {
            guard var match = offered.first(where: { $0.payloadType == format.payloadType && $0.codec == format.codec })
            else { continue }
            match.isStereo = format.sendsStereo
            return match
        }
        throw .noCommonCodec(media: section.kind.rawValue)
    }
}
