internal import CallProtocol

/// The search for another network path, as the rules see it (an ICE restart, RFC 8445 section 9).
///
/// Each end sends its parameters once for each number. So it does not matter which end begins, or whether both do.
struct IceRestart: Sendable, Equatable {
    /// How much higher the peer's number may be than this end's; otherwise one message could use up all numbers.
    static let maximumStep = 64

    /// The number of the latest restart; 0 before the first one.
    var number = 0
    /// The network changed, and no restart has begun for it yet.
    var isWanted = false
    /// Neither over nor given up.
    var isRunning = false
    /// This end's parameters of this number were sent.
    var hasOwnParameters = false
    /// The peer's parameters of this number have arrived.
    var hasPeerParameters = false
}

/// Finds another network path when the present one fails or is about to.
///
/// The peer connection stays: DTLS, tracks and their counters know nothing of it. Media takes the present path until the other one works.
extension CallMachine {
    /// Whether the peer sends media, as far as it has said.
    ///
    /// A peer that holds or stops its media is silent on a path that works.
    private var expectsMedia: Bool {
        hold == .none && (media.audio && peer.audio != .off || media.video && peer.video != .off)
    }

    /// Nil when the fact is not about the path.
    mutating func handlePath(_ fact: MediaFact, generation number: Int) -> [Effect]? {
        switch fact {
        case .networkChanged:
            update(number) { $0.isWanted = true }
            return []
        case .mediaMissing where !expectsMedia: return []
        case .mediaMissing, .pathSilent:
            update(number) { if !$0.isRunning { $0.isWanted = true } }
            return []
        case .iceParameters(let parameters):
            guard let restart = restart(of: number), restart.number == parameters.restart else {
                return [.ignored("ICE parameters of an earlier restart")]
            }
            update(number) { $0.hasOwnParameters = true }
            return [send(.iceRestart(parameters), to: number)]
        case .pathChanged(let change):
            // It may be found after the search was given up.
            guard restart(of: number)?.number == change.restart else {
                return [.ignored("a path of an earlier restart")]
            }
            return endRestart(of: number, change)
        default: return nil
        }
    }

    /// The peer sent its parameters: an answer to this end's, or a restart that it begins.
    mutating func peerRestarts(_ parameters: SignalingMessage.IceParameters, _ number: Int) -> [Effect] {
        guard phase == .accepted, let restart = restart(of: number), isNegotiated(number) else {
            return [.ignored("an ICE restart of generation \(number), which is not in use")]
        }
        let isBegun = parameters.restart == restart.number
        guard isBegun ? restart.isRunning && !restart.hasPeerParameters : parameters.restart > restart.number,
            parameters.restart <= restart.number + IceRestart.maximumStep
        else { return [.ignored("the ICE restart \(parameters.restart) after \(restart.number)")] }
        let effects = isBegun ? [] : begin(parameters.restart, of: number, by: .peer)
        update(number) { $0.hasPeerParameters = true }
        return effects + [.setIceParameters(parameters, generation: number)]
    }

    /// Begins a restart that had to wait until both ends have each other's descriptions and agreed to the call.
    mutating func beginWantedRestart() -> [Effect] {
        generationNumbers.flatMap { number -> [Effect] in
            guard let restart = restart(of: number), restart.isWanted, isNegotiated(number) else { return [] }
            return begin(restart.number + 1, of: number, by: .local)
        }
    }

    private mutating func begin(_ restart: Int, of number: Int, by party: CallParty) -> [Effect] {
        let wasRunning = self.restart(of: number)?.isRunning ?? false
        update(number) { $0 = IceRestart(number: restart, isRunning: true) }
        return [.restartIce(restart, generation: number)] + start(.iceRestart)
            + (wasRunning ? [] : [.notify(.networkChangeStarted(by: party))])
    }

    /// Begins again while nothing arrives, unless the peer's parameters are still under way; gives up when the former path works.
    mutating func restartTimedOut() -> [Effect] {
        generationNumbers.flatMap { number -> [Effect] in
            guard let generation = generation(number), generation.restart.isRunning else { return [] }
            if generation.isVerified, !generation.isInterrupted { return endRestart(of: number, nil) }
            let isUnderWay = generation.restart.hasOwnParameters && !generation.restart.hasPeerParameters
            return !isUnderWay ? begin(generation.restart.number + 1, of: number, by: .local) : start(.iceRestart)
        }
    }

    /// The end of a restart: another path, the end of its generation, or the former path.
    private mutating func endRestart(of number: Int, _ change: NetworkPathChange?) -> [Effect] {
        update(number) { $0.isRunning = false }
        let isAnyRunning = generationNumbers.contains { restart(of: $0)?.isRunning == true }
        return (isAnyRunning ? [] : [.cancelTimer(.iceRestart)]) + [.notify(.networkChangeEnded(change))]
    }

    /// The generation is about to be closed.
    mutating func abandonRestart(of number: Int) -> [Effect] {
        restart(of: number)?.isRunning == true ? endRestart(of: number, nil) : []
    }

    /// Whether both ends have each other's descriptions of it, and this end still uses it.
    private func isNegotiated(_ number: Int) -> Bool {
        guard phase == .accepted, !isAcceptPending, let generation = generation(number) else { return false }
        return generation.isAnswered && generation.failure == nil
    }

    private var generationNumbers: [Int] { [current.number] + (next.map { [$0.number] } ?? []) }

    private func generation(_ number: Int) -> Generation? {
        [current, next].compactMap(\.self).first { $0.number == number }
    }

    private func restart(of number: Int) -> IceRestart? { generation(number)?.restart }

    private mutating func update(_ number: Int, _ change: (inout IceRestart) -> Void) {
        if number == current.number {
            change(&current.restart)
        } else if next?.number == number, var generation = next {
            change(&generation.restart)
            next = generation
        }
    }

    private func send(_ body: SignalingMessage.Body, to number: Int) -> Effect {
        .send(body, to: Address(device: peerDevice, generation: number))
    }
}
