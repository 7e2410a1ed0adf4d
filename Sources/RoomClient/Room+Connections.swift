internal import CallAgent
internal import Logging

/// The connections of a room that carry media: begun, begun again when they end, and given up.
extension Room {
    /// Publishes what the configuration says.
    func publish() {
        guard let media = configuration.publishes, membership != nil, connections[.publication]?.call == nil,
            let attempt = begin(.publication)
        else { return }
        Task {
            do throws(CallError) {
                let call = try await agent.call(names.room, media: media, sends: configuration.sends)
                // The room was lost meanwhile, and another call may have the place.
                guard connections[.publication]?.attempt == attempt else { return await call.hangUp() }
                take(call, for: .publication)
                report(.publishing(call))
            } catch {
                await fail(.publication, error.description, in: attempt)
            }
        }
    }

    /// Receives what a participant publishes now, if the configuration wants it and there is a place.
    func receive(_ id: String) {
        guard membership != nil, let participant = present[id], !participant.receivedStreams.isEmpty,
            configuration.receives(participant)
        else { return }
        let purpose = RoomConnection.Purpose.participant(id)
        guard connections[purpose] != nil || received < configuration.maximumReceived else {
            return logger.info("\(participant.displayName) is not received: \(received) participants are")
        }
        guard let attempt = begin(purpose) else { return }
        let name = names.name(of: participant)
        Task {
            do throws(RoomError) {
                let layer = wantedLayer(of: id)
                try await transport.ring(participant, layer, as: name)
                guard connections[purpose]?.attempt == attempt else { return }
                connections[purpose]?.isTrying = false
                // It may have changed meanwhile; what is received counts more than its layer.
                let wanted = wantedLayer(of: id)
                if wanted != layer { try? await transport.setLayer(wanted, of: id) }
                if connections[purpose]?.isOutdated == true { receive(id) }
            } catch {
                await fail(purpose, error.description, in: attempt)
            }
        }
    }

    /// There is nothing to receive of a participant any more.
    func stopReceiving(_ id: String, _ text: String) async {
        connections.removeValue(forKey: .participant(id))?.waiting?.cancel()
        await transport.end(id, text)
        receiveNext()
    }

    /// Receives this layer of a participant's video from now on, if it publishes several, also after a lost connection.
    ///
    /// - Throws: ``RoomError/noSuchParticipant(_:)``, ``RoomError/notJoined`` and those of the connection.
    public func setLayer(_ layer: SimulcastLayer, of id: String) async throws(RoomError) {
        guard membership != nil else { throw .notJoined }
        guard present[id] != nil else { throw .noSuchParticipant(id) }
        layers[id] = layer
        try await transport.setLayer(layer, of: id)
    }

    private func wantedLayer(of id: String) -> SimulcastLayer { layers[id] ?? layer }

    /// Receives this layer of the video of everybody from now on, also of those who come later.
    ///
    /// - Throws: ``RoomError/notJoined``, and those of the connection when it was not possible for somebody; it is done for all others.
    public func setLayer(_ layer: SimulcastLayer) async throws(RoomError) {
        guard membership != nil else { throw .notJoined }
        (self.layer, layers) = (layer, [:])
        var failure: RoomError?
        for id in present.keys {
            // It may have changed meanwhile.
            do throws(RoomError) { try await transport.setLayer(wantedLayer(of: id), of: id) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// How many participants are received, or are to be.
    private var received: Int { connections.count { $0.key != .publication && !$0.value.isGivenUp } }

    /// Begins an attempt and returns its number; nil while one is under way, which is followed by another one.
    private func begin(_ purpose: RoomConnection.Purpose) -> Int? {
        var connection = connections[purpose] ?? RoomConnection()
        connection.isOutdated = connection.isTrying
        defer { connections[purpose] = connection }
        guard !connection.isTrying else { return nil }
        connection.waiting?.cancel()
        connection.waiting = nil
        attempts += 1
        (connection.isTrying, connection.isGivenUp, connection.attempt) = (true, false, attempts)
        return attempts
    }

    /// Accepts the call of a participant: this end sends nothing on it.
    func accept(_ call: Call) async {
        guard let id = names.id(of: call.peer), let participant = present[id],
            connections[.participant(id)] != nil
        else { return await call.hangUp() }
        take(call, for: .participant(id))
        report(.receiving(participant, call))
        // Refused when the participant is gone again.
        try? await call.accept(audio: .off, video: .off, output: configuration.playsAudio)
    }

    private func take(_ call: Call, for purpose: RoomConnection.Purpose) {
        connections[purpose]?.waiting?.cancel()
        connections[purpose, default: RoomConnection()].call = call
        if purpose == .publication { connections[purpose]?.isTrying = false }
        Task {
            let end = await call.waitUntilEnded()
            let wasConnected = await call.report().timeline.instant(of: .connected) != nil
            await ended(purpose, call, end, wasConnected: wasConnected)
        }
    }

    private func ended(
        _ purpose: RoomConnection.Purpose, _ call: Call, _ end: CallEnd, wasConnected: Bool
    ) async {
        // Otherwise another one has its place, or what it was for is gone.
        guard connections[purpose]?.call?.id == call.id else { return }
        connections[purpose]?.call = nil
        if wasConnected { connections[purpose]?.failures = 0 }
        guard end.reason != .localHangup else {
            // The application ended it.
            connections[purpose]?.isGivenUp = true
            return receiveNext()
        }
        await fail(purpose, "\(end.reason.rawValue) (\(end.code))\(end.text.isEmpty ? "" : ": \(end.text)")")
    }

    /// Says so, and tries again after a while if there is a reason to.
    private func fail(_ purpose: RoomConnection.Purpose, _ text: String, in attempt: Int? = nil) async {
        // Closed when this end leaves.
        guard await agent.state == .prepared, membership != nil else { return }
        // Gone meanwhile, or another one has its place.
        guard var connection = connections[purpose], connection.call == nil,
            attempt == nil && !connection.isTrying || attempt == connection.attempt
        else { return }
        switch purpose {
        case .publication: report(.notPublished(text: text))
        case .participant(let id): if let participant = present[id] { report(.notReceived(participant, text: text)) }
        }
        connection.isTrying = false
        guard configuration.reconnects else {
            connection.isGivenUp = true
            connections[purpose] = connection
            return receiveNext()
        }
        let pause = connection.isOutdated ? .zero : connection.pause
        connection.failures += 1
        connection.waiting = Task {
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            switch purpose {
            case .publication: publish()
            case .participant(let id): receive(id)
            }
        }
        connections[purpose] = connection
    }

    /// Somebody may have waited for the place of a participant that is received no more.
    private func receiveNext() {
        guard membership != nil else { return }
        for id in present.keys.sorted() where connections[.participant(id)] == nil {
            guard received < configuration.maximumReceived else { return }
            receive(id)
        }
    }
}
