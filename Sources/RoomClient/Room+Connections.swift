internal import CallAgent
internal import Logging

/// The connections of a room that carry media, and what happens when they end.
extension Room {
    /// Publishes what the configuration says.
    func publish() {
        guard let media = configuration.publishes, membership != nil, calls[.publication] == nil else { return }
        Task {
            do throws(CallError) {
                let call = try await agent.call(names.room, media: media)
                begin(.publication, call)
                report(.publishing(call))
            } catch {
                // The agent is closed when this end leaves.
                guard await agent.state == .prepared else { return }
                report(.notPublished(text: error.description))
                retry(.publication)
            }
        }
    }

    /// Receives what a participant publishes, if the configuration wants it.
    func subscribe(to participant: RoomParticipant) {
        guard membership != nil, !participant.receivedStreams.isEmpty, configuration.receives(participant) else {
            return
        }
        let received = calls.keys.filter { $0 != .publication && $0 != .subscription(participant.id) }
        guard received.count < configuration.maximumReceived else {
            logger.warning("\(participant.displayName) is not received: \(received.count) participants are already")
            return
        }
        let name = names.name(of: participant)
        Task {
            let callId = await transport.ring(participant, as: name)
            if callId == nil { retry(.subscription(participant.id)) }
        }
    }

    /// Accepts the call of a participant: this end sends nothing on it.
    func accept(_ call: Call) async {
        guard let id = names.id(of: call.peer), let participant = present[id] else { return await call.hangUp() }
        begin(.subscription(id), call)
        report(.receiving(participant, call))
        // Refused when the participant is gone again.
        try? await call.accept(audio: .off, video: .off)
    }

    private func begin(_ media: RoomMedia, _ call: Call) {
        calls[media] = call
        Task {
            let end = await call.waitUntilEnded()
            let wasConnected = await call.report().timeline.instant(of: .connected) != nil
            ended(media, call, end, wasConnected: wasConnected)
        }
    }

    private func ended(_ media: RoomMedia, _ call: Call, _ end: CallEnd, wasConnected: Bool) {
        guard calls[media]?.id == call.id else { return }
        calls[media] = nil
        if wasConnected { failures[media] = nil }
        // The application ended it, or the participant left.
        guard end.reason != .localHangup, membership != nil else { return }
        if media == .publication { report(.notPublished(text: "\(end.reason.rawValue) (\(end.code)): \(end.text)")) }
        retry(media)
    }

    /// Tries again after 1 s to 30 s, while there is a reason to.
    private func retry(_ media: RoomMedia) {
        guard configuration.reconnects, membership != nil else { return }
        let count = failures[media, default: 0]
        failures[media] = count + 1
        Task {
            try? await Task.sleep(for: min(.seconds(1 << min(count, 5)), .seconds(30)))
            guard calls[media] == nil else { return }
            switch media {
            case .publication: publish()
            case .subscription(let id): if let participant = present[id] { subscribe(to: participant) }
            }
        }
    }
}
