public import CallAgent

extension Room {
    /// Goes on with the peer of a call in this room: both ends call this, each for its own end of the call.
    ///
    /// The call ends when each end has the other one's first frame in the room. Until then it goes on, and if the transfer fails it stays as it was. Audio is
    /// heard from one of the two at a time. Both ends have to publish something.
    ///
    /// - Parameters:
    ///   - call: a call that was accepted, or that rings at its callee.
    ///   - invitation: what the peer gets to know; nil if it knows the room, since the call's invite named it.
    ///   - limit: how long it may take from the accept of the call on.
    /// - Returns: The call that carries what this end receives of the peer in the room.
    /// - Throws: ``RoomError/notJoined``, ``RoomError/notTransferred(text:)``, ``RoomError/call(_:)`` when the call ended before.
    @discardableResult
    public func transfer(
        _ call: Call, inviting invitation: RoomInvitation? = nil, within limit: Duration = .seconds(20)
    ) async throws(RoomError) -> Call {
        let (inputs, continuation) = AsyncStream.makeStream(of: RoomTransferInput.self)
        // Before anything is sent, so that no answer is missed.
        let events = call.events
        guard let participant = membership?.id else { throw .notJoined }
        let reading = Task {
            for await event in events { continuation.yield(.call(event)) }
            continuation.yield(.callOver(await call.end ?? CallEnd(reason: .localHangup, by: .local)))
        }
        let number = observe(continuation)
        let transfer = Progress(RoomTransfer(as: participant, inviting: invitation), continuation)
        defer {
            reading.cancel()
            transfer.timer?.cancel()
            ignore(number)
            continuation.finish()
        }
        for await input in inputs {
            guard let event = await event(of: input, transfer, limit) else { continue }
            for action in transfer.rules.handle(event) { await perform(action, on: call, transfer) }
            switch transfer.rules.result {
            case .failure(let error): throw error
            case .success: if let received = transfer.received { return received }
            case nil: continue
            }
        }
        let cancelled = RoomError.notTransferred(text: "it was cancelled")
        for action in transfer.rules.fail(cancelled) { await perform(action, on: call, transfer) }
        throw cancelled
    }

    /// A transfer under way; used on the room's actor alone.
    private final class Progress {
        var rules: RoomTransfer
        let inputs: AsyncStream<RoomTransferInput>.Continuation
        /// The participant that the peer is.
        var peer: String?
        /// What this end receives of it.
        var received: Call?
        /// Whether the call played its audio before the room did.
        var hadOutput = true
        var timer: Task<Void, Never>?

        init(_ rules: RoomTransfer, _ inputs: AsyncStream<RoomTransferInput>.Continuation) {
            (self.rules, self.inputs) = (rules, inputs)
        }
    }

    /// What an input means for the rules; nil: nothing.
    private func event(
        of input: RoomTransferInput, _ transfer: Progress, _ limit: Duration
    ) async -> RoomTransfer.Event? {
        switch input {
        case .call(.stateChanged(let change)) where change.state.isAccepted:
            let inputs = transfer.inputs
            transfer.timer =
                transfer.timer
                ?? Task { if (try? await Task.sleep(for: limit)) != nil { inputs.yield(.expired) } }
            return .accepted
        case .call(.notice(.info(let content))): return RoomTransferMessage(content).map { .message($0) }
        case .call: return nil
        case .callOver(let end): return .callEnded(end)
        case .receives(let participant):
            if participant == transfer.peer { watch(participant, transfer.inputs) }
            return nil
        case .connected(let call):
            transfer.received = call
            return .receiving
        case .expired: return .expired
        }
    }

    private func perform(_ action: RoomTransfer.Action, on call: Call, _ transfer: Progress) async {
        switch action {
        // Refused when the call has ended, which is an event of its own.
        case .send(let message): try? await call.send(info: message.content)
        case .await(let participant):
            transfer.peer = participant
            watch(participant, transfer.inputs)
        case .silenceCall:
            transfer.hadOutput = await call.hasOutput
            await call.setOutput(false)
        case .restoreCall: await call.setOutput(transfer.hadOutput)
        case .hangUp: await call.hangUp(text: "the call goes on in room \(name)")
        }
    }

    /// Reports when the first frame of a participant is there; its call may have to begin.
    private func watch(_ id: String, _ inputs: AsyncStream<RoomTransferInput>.Continuation) {
        guard let call = call(of: id) else { return }
        Task { if (try? await call.waitUntilConnected()) != nil { inputs.yield(.connected(call)) } }
    }
}

/// What a transfer waits for.
enum RoomTransferInput: Sendable {
    case call(CallEvent)
    case callOver(CallEnd)
    /// There is a call that receives this participant.
    case receives(participant: String)
    /// It has its first frame.
    case connected(Call)
    case expired
}

extension CallState {
    fileprivate var isAccepted: Bool {
        switch self {
        case .connecting, .connected, .reconnecting: true
        case .calling, .ringing, .ended: false
        }
    }
}
