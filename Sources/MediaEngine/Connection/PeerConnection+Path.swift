internal import LocalNetwork

/// Another path to the peer (an ICE restart, RFC 8445 section 9), without a negotiation.
///
/// The two ends exchange ``IceParameters`` and candidates. Meanwhile media takes the present path, if that still works.
extension PeerConnection {
    /// Makes a new path beside the present one and gathers candidates for it.
    ///
    /// ``PeerConnectionEvent/Kind/iceParameters(_:)`` reports this end's parameters, and candidates follow, which name their username fragment.
    /// A former restart that has not ended is given up. `number` counts the restarts at both ends, from 1.
    /// - Throws: ``MediaError/closed``, and ``MediaError/rejected(operation:text:)`` before the negotiation and while eight former paths
    ///   wait for TURN servers that do not answer.
    public func restartIce(_ number: Int) throws(MediaError) {
        let media = try built()
        guard remote != nil else { throw .rejected(operation: "restartIce", text: "nothing was negotiated yet") }
        try media.ice.restart(number)
    }

    /// Uses these STUN and TURN servers from now on, instead of ``PeerConnectionConfiguration/iceServers``.
    ///
    /// The present path keeps its servers; the path of the next ``restartIce(_:)`` uses the new ones. Credentials of TURN servers expire.
    /// - Throws: As the negotiation does for ``PeerConnectionConfiguration/iceServers``. The former ones then stay in use.
    public func use(_ servers: [StunTurnServer]) throws(MediaError) {
        guard !isClosed else { throw .closed }
        try media?.peer.use(servers, policy: configuration.iceTransportPolicy)
        configuration.iceServers = servers
    }

    /// Uses the peer's parameters for the path that ``restartIce(_:)`` made with the same number; no effect for another number.
    ///
    /// - Throws: ``MediaError/invalidCandidate(text:)`` when they are not of RFC 8839's form.
    public func setIceParameters(_ parameters: IceParameters) throws(MediaError) {
        let media = try built()
        try parameters.check()
        candidateCount = 0
        media.ice.set(parameters)
    }

    /// The packets take another path from now on: some were lost until then.
    func take(_ change: IcePathChange) {
        eventSink.yield(.init(.pathChanged(change)))
        guard let media, isVerified else { return }
        media.bandwidth.changePath()
        media.estimateSender.changePath()
        media.sendReport()
        for track in media.videos { track.forceKeyFrame() }
        let received = media.receiving.filter { $0.key.kind == .video && directions[$0.key]?.receives == true }
        guard !received.isEmpty else { return }
        for track in received.values { track.requestKeyFrame() }
        if let last = media.rhythm.last, ClockReading.now - last > Self.outage { hurry(media.peer.jitterBuffers) }
    }

    /// Skips what was lost between the former path and the present one, until the key frame has passed.
    private func hurry(_ jitterBuffers: JitterBuffers) {
        jitterBuffers.hurry(true)
        hurrying?.cancel()
        hurrying = Task {
            guard (try? await Task.sleep(for: Self.outage * 5)) != nil else { return }
            jitterBuffers.hurry(false)
        }
    }

    /// Reports changes of the network that concern the path.
    func watchNetwork() async {
        for await _ in NetworkMonitor.shared.changes {
            guard !isClosed else { return }
            guard let media else { continue }
            media.ice.checkNetwork { [eventSink] isOutdated in
                if isOutdated { eventSink.yield(.init(.networkChanged)) }
            }
        }
    }

    /// A silence for so long before another path is an outage, in which packets were lost.
    private static let outage = Duration.milliseconds(100)
}

extension IceParameters {
    /// Checks the grammar of RFC 8839 section 5.4.
    func check() throws(MediaError) {
        func isValid(_ text: String, atLeast shortest: Int) -> Bool {
            (shortest...256).contains(text.utf8.count)
                && text.utf8.allSatisfy(\.isIceCharacter)
        }
        guard isValid(fragment, atLeast: 4), isValid(password, atLeast: 22) else {
            throw .invalidCandidate(text: "the parameters of an ICE restart are no ice-ufrag and ice-pwd")
        }
    }
}
