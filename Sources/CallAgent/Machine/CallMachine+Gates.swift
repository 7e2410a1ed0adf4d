internal import CallProtocol

/// Derives the media gates from the rest of the state.
extension CallMachine {
    /// Commands for all gates that have to change.
    mutating func changedGates() -> [Effect] {
        var effects: [Effect] = []
        change(&current, &effects)
        if var generation = next {
            change(&generation, &effects)
            next = generation
        }
        return effects
    }

    private func change(_ generation: inout Generation, _ effects: inout [Effect]) {
        let wanted = gates(of: generation)
        guard generation.isBuilt, generation.gates != wanted else { return }
        generation.gates = wanted
        effects.append(.setGates(wanted, generation: generation.number))
    }

    private func gates(of generation: Generation) -> MediaGates {
        // A callee sends nothing before it accepts, unless its policy allows it.
        let maySend = phase == .accepted || role == .caller || earlyMedia == .full
        guard maySend else { return MediaGates() }
        // Nothing is shown during a hold, so nothing is sent.
        let isHeld = hold != .none
        let sends = sends(on: generation)
        return MediaGates(
            audio: generation.media.audio ? Self.gate(sends.audio, isHeld: isHeld) : .closed,
            video: generation.media.video ? Self.gate(sends.video, isHeld: isHeld) : .closed,
            isReceiving: phase == .accepted && hasFirstFrame && !isHeld && generation.number == shown.number)
    }

    /// What the peer sends by what both ends reported, in the words of this end's gates.
    ///
    /// - Parameter knowsHold: whether the peer has learned that this end holds the call.
    func announced(knowsHold: Bool) -> MediaGates {
        guard end == nil else { return MediaGates(audio: .live, video: .live) }
        let isHeld = peer.isHolding || own.isHolding && knowsHold
        return MediaGates(
            audio: Self.gate(peer.audio, isHeld: isHeld), video: Self.gate(peer.video, isHeld: isHeld))
    }

    private static func gate(_ sending: MediaState.Sending, isHeld: Bool) -> MediaGates.Sending {
        switch sending {
        case .off: .off
        case _ where isHeld: .closed
        case .muted: .blank
        case .on: .live
        }
    }
}
