internal import Logging

/// Gates, sources and rates of the media.
extension PeerConnection {
    /// Sets what is sent on one track; every track starts ``SendMode/closed``.
    ///
    /// May be called at any time and any number of times; the last mode counts. A mode that sends less is in force when this returns:
    /// after a mute, no newly captured media is encoded. A mode that sends more takes effect once the peer's certificate is verified and,
    /// after ``SendMode/off``, once the device is open. If the device cannot be opened, the connection sends
    /// ``PeerConnectionEvent/Kind/captureFailed(_:_:)``. After a pause, sending starts with the latest frame, as a key frame.
    /// ``SendMode/off`` needs no verification: if it is set before the negotiation, no device is opened at all.
    public func setSending(_ mode: SendMode, of track: TrackID) {
        guard !isClosed else { return }
        sendModes[track] = mode
        applyMode(of: track)
    }

    /// Replaces the source of one track without a new negotiation: another camera, size or rate.
    ///
    /// A track without a source gets one. The new device is opened unless the track is ``SendMode/off``, and the former one closes when
    /// nothing else needs it. ``CaptureSource`` describes how one device changes its size. Before the negotiation nothing is opened yet.
    /// `processing` is the processing of audio before it is sent; nil leaves it unchanged. `track` is that of the source's kind by default, the first video.
    ///
    /// - Throws: ``MediaError`` when it cannot be opened; the former source then continues. ``MediaError/rejected(operation:text:)`` when
    ///   this connection has no such track, or one of another kind.
    public func setSource(
        _ source: CaptureSource, processing: AudioProcessing? = nil, of track: TrackID? = nil
    ) async throws(MediaError) {
        guard !isClosed else { throw .closed }
        let id = track ?? TrackID(source.kind)
        guard configuration.tracks[id] != nil, id.kind == source.kind else {
            throw .rejected(operation: "a source", text: "this connection has no \(id) for \(source.kind.rawValue)")
        }
        if media == nil {
            configuration.tracks[id]?.source = source
            if let processing { configuration.tracks[id]?.processing = processing }
            return
        }
        // Only the track is kept alive: if the device hangs while it opens, the rest of the connection can still be freed.
        guard let track = media?.sending[id] else {
            throw .rejected(operation: "a source", text: "this connection negotiated no \(id)")
        }
        try await track.change(to: source)
        if let processing { track.process(processing) }
    }

    /// Turns the sent video from the next frame on, in all connections that share its source.
    ///
    /// - Throws: ``MediaError/rejected(operation:text:)`` when there is no video source.
    public func turnVideo(_ orientation: VideoOrientation) async throws(MediaError) {
        guard let source = media?.sending[.video]?.source ?? configuration.tracks[.video]?.source else {
            throw .rejected(operation: "an orientation", text: "there is no video source")
        }
        try await source.turn(orientation)
    }

    /// A track that the peer does not receive, or that has failed, is not sent.
    func mode(of track: TrackID) -> SendMode {
        directions[track]?.sends == false || hasFailed(track, .sending) ? .off : sendModes[track] ?? .closed
    }

    func applyMode(of track: TrackID) {
        media?.sending[track]?.set(mode(of: track))
        if track.kind == .video { media?.bandwidth.noteWanted() }
    }

    /// Starts or stops to show, play and record received media, and to record sent media if configured; starts closed.
    ///
    /// May be called at any time. The latest frame is shown first. Reopening requests a key frame from the peer.
    /// - Returns: How many frames and audio buffers had been shown before, by track; empty before the negotiation.
    @discardableResult
    public func setReceiving(_ isOpen: Bool) -> [TrackID: Int] {
        // From close() on, nothing opens the gates again.
        guard !isClosed else { return [:] }
        isReceiving = isOpen
        if isOpen, let early = earlyDigits.take() { report(early) }
        return media?.setReceiving(isOpen, hiding: hiddenTracks) ?? [:]
    }

    /// Selects whether received media of one track is shown and recorded while ``setReceiving(_:)`` is open; every track starts shown.
    ///
    /// May be called at any time, also before the negotiation. The peer is not notified and continues to send.
    public func setShowing(_ isShown: Bool, of track: TrackID) {
        guard !isClosed, isShown == hiddenTracks.contains(track) else { return }
        if isShown { hiddenTracks.remove(track) } else { hiddenTracks.insert(track) }
        _ = media?.receiving[track]?.setOpen(isReceiving && isShown)
    }

    /// Changes the encoder's target bitrate of one track, in kbit/s; the peer's limit (`b=TIAS`, `b=AS`) still applies,
    /// and so does the bandwidth of the path (``TransportTuning/followsBandwidth``).
    ///
    /// Takes effect with the next frame or packet. A codec with a fixed rate does not change.
    public func setBitrate(_ kbit: Int, of track: TrackID) throws(MediaError) {
        let media = try built()
        try media.sending[track]?.set(bitrateKbit: max(1, kbit))
        if track.kind == .video { media.bandwidth.noteWanted() }
    }

    /// Changes the parameters of this end's Opus encoder; the limits in the peer's description still apply.
    ///
    /// This end's description stays as it was sent. A value out of range counts as its default, with a warning.
    public func setOpus(_ parameters: OpusParameters) throws(MediaError) {
        let (checked, warnings) = parameters.checked()
        for text in warnings { logger.warning("\(text)") }
        try built().sending[.audio]?.set(checked)
    }

    /// The maximum number of digits in one call of ``sendDTMF(_:)``.
    public static let maximumDigits = 64

    /// Sends DTMF digits (RFC 4733): 250 ms each at least, 100 ms between at least, after the digits that were queued before.
    ///
    /// Independent of ``setSending(_:of:)``. The digits wait until the peer is verified.
    /// - Returns: Whether the peer accepts them; false when its description lacks telephone events, and before the negotiation.
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` for a character that is no DTMF digit, and for more than ``maximumDigits``.
    @discardableResult
    public func sendDTMF(_ digits: String) throws(MediaError) -> Bool {
        var checked: [DtmfDigit] = []
        for character in digits.prefix(Self.maximumDigits + 1) {
            guard checked.count < Self.maximumDigits, let digit = DtmfDigit(character) else {
                throw .unknownChoice(
                    kind: "DTMF digit", value: String(character),
                    known: ["0 to 9", "*", "#", "A to D", "\(Self.maximumDigits) at most"])
            }
            checked.append(digit)
        }
        guard !isClosed, let media, remote != nil, directions[.audio]?.sends == true,
            let sender = media.sending[.audio]?.dtmf,
            let choice = media.choices.first(where: { $0.codec.kind == .audio }), !choice.telephoneEvents.isEmpty
        else { return false }
        guard isVerified else {
            heldDigits = Array((heldDigits + checked).prefix(Self.maximumDigits))
            return true
        }
        for digit in checked { try sender.send(digit) }
        return true
    }
}
