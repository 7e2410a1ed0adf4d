internal import Logging

/// What flows, and how much of it.
extension PeerConnection {
    /// Chooses what is sent of one kind; every kind begins ``SendMode/closed``.
    ///
    /// Legal at any time and as often as wanted; the last mode counts. Less is in force when this returns: of what was captured
    /// nothing new is encoded after a mute. More takes effect once the peer's certificate is verified, and after
    /// ``SendMode/off`` once the device is open; when that fails, ``PeerConnectionEvent/Kind/captureFailed(_:_:)`` says so. What is
    /// sent after a pause begins with the latest picture, as a key frame. ``SendMode/off`` needs no verification: set before the
    /// negotiation, no device is opened at all.
    public func setSending(_ mode: SendMode, of kind: MediaKind) {
        guard !isClosed else { return }
        sendModes[kind] = mode
        applyMode(of: kind)
    }

    /// Sends another source of the same kind from now on, without a new negotiation: another camera, size or rate.
    ///
    /// A track that had none has one from now on. The device is opened unless the kind is ``SendMode/off``, and the former one closes when
    /// nobody else needs it; of one device ``CaptureSource`` says how it changes its size. Before the negotiation nothing is opened yet.
    /// `processing` is what is done to the sound before it is sent; nil leaves that as it is.
    ///
    /// - Throws: ``MediaError`` when it cannot be opened; the former one goes on then. ``MediaError/rejected(operation:text:)`` when this
    ///   connection has no track of this kind.
    public func setSource(
        _ source: CaptureSource, processing: AudioProcessing? = nil
    ) async throws(MediaError) {
        guard !isClosed else { throw .closed }
        guard configuration.tracks[source.kind] != nil else {
            throw .rejected(operation: "a source", text: "this connection has no \(source.kind.rawValue)")
        }
        if media == nil {
            configuration.tracks[source.kind]?.source = source
            if let processing { configuration.tracks[source.kind]?.processing = processing }
            return
        }
        // The track alone: whatever hangs as it opens keeps nothing else of the connection alive.
        guard let track = media?.sending[source.kind] else {
            throw .rejected(operation: "a source", text: "this connection negotiated no \(source.kind.rawValue)")
        }
        try await track.change(to: source)
        if let processing { track.process(processing) }
    }

    /// Turns the pictures that are sent from the next one on, in all connections that share their source.
    ///
    /// - Throws: ``MediaError/rejected(operation:text:)`` when there is no source of pictures.
    public func turnVideo(_ orientation: VideoOrientation) async throws(MediaError) {
        guard let source = media?.sending[.video]?.source ?? configuration.tracks[.video]?.source else {
            throw .rejected(operation: "an orientation", text: "there is no source of pictures")
        }
        try await source.turn(orientation)
    }

    /// What the peer does not take is not sent, nor what has failed.
    func mode(of kind: MediaKind) -> SendMode {
        directions[kind]?.sends == false || hasFailed(kind, .sending) ? .off : sendModes[kind] ?? .closed
    }

    func applyMode(of kind: MediaKind) { media?.sending[kind]?.set(mode(of: kind)) }

    /// Shows, plays and records what arrives (and records what is sent, if that is wanted) from now on, the latest picture first, or no more; begins closed.
    ///
    /// Legal at any time. Reopening asks the peer for a fresh picture.
    /// - Returns: How many pictures and audio buffers had been shown before, by kind; empty before the negotiation.
    @discardableResult
    public func setReceiving(_ isOpen: Bool) -> [MediaKind: Int] {
        guard !isClosed else { return [:] }
        isReceiving = isOpen
        if isOpen, let early = earlyDigits.take() { tell(early) }
        return media?.setReceiving(isOpen, hiding: hiddenKinds) ?? [:]
    }

    /// Shows and records what arrives of one kind, when ``setReceiving(_:)`` lets it, or does not; every kind begins shown.
    ///
    /// Legal at any time, also before the negotiation. The peer is not told and goes on sending.
    public func setShowing(_ isShown: Bool, of kind: MediaKind) {
        guard !isClosed, isShown == hiddenKinds.contains(kind) else { return }
        if isShown { hiddenKinds.remove(kind) } else { hiddenKinds.insert(kind) }
        _ = media?.receiving[kind]?.setOpen(isReceiving && isShown)
    }

    /// Changes the rate that the encoder of one kind aims at, in kbit/s; the peer's limit (`b=TIAS`, `b=AS`) still holds.
    ///
    /// In force with the next picture or packet. A codec of fixed rate stays as it is.
    public func setBitrate(_ kbit: Int, of kind: MediaKind) throws(MediaError) {
        try built().sending[kind]?.encoder.set(bitrateKbit: max(1, kbit))
    }

    /// Changes what our Opus encoder does; what the peer's description allows still holds, and ours stays as it was sent.
    ///
    /// A value out of range counts as its default, with a warning.
    public func setOpus(_ parameters: OpusParameters) throws(MediaError) {
        let (checked, warnings) = parameters.checked()
        for text in warnings { logger.warning("\(text)") }
        try built().sending[.audio]?.encoder.set(checked)
    }

    /// The most keys that one call takes.
    public static let maximumDigits = 64

    /// Presses keys (RFC 4733): 250 ms each, 100 ms between, after those that were asked for before.
    ///
    /// Whatever ``setSending(_:of:)`` says; they wait for the peer's verification.
    /// - Returns: Whether the peer takes them; false when its description lacks telephone events, and before the negotiation.
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` for what is no key, and for more than ``maximumDigits``.
    @discardableResult
    public func sendDTMF(_ keys: String) throws(MediaError) -> Bool {
        var digits: [DtmfDigit] = []
        for key in keys.prefix(Self.maximumDigits + 1) {
            guard digits.count < Self.maximumDigits, let digit = DtmfDigit(key) else {
                throw .unknownChoice(
                    kind: "DTMF key", value: String(key),
                    known: ["0 to 9", "*", "#", "A to D", "\(Self.maximumDigits) at most"])
            }
            digits.append(digit)
        }
        guard !isClosed, let media, remote != nil, directions[.audio]?.sends == true,
            let sender = media.sending[.audio]?.dtmf,
            let choice = media.choices.first(where: { $0.codec.kind == .audio }), !choice.telephoneEvents.isEmpty
        else { return false }
        guard isVerified else {
            heldDigits = Array((heldDigits + digits).prefix(Self.maximumDigits))
            return true
        }
        for digit in digits { try sender.send(digit) }
        return true
    }
}
