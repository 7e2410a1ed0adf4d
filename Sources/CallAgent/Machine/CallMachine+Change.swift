internal import CallProtocol

/// Replaces the current peer connection with another one: make before break, unless it has failed.
///
/// Each end sends one message: `commit` when it receives the other's media on the new connection, or `rollback` when it gives the
/// new connection up. So both ends reach the same result: the new connection when both committed, else the current one.
extension CallMachine {
    /// How many failed connections a call replaces: a cause that comes back must not go on for ever.
    static let maximumReplacements = 8

    /// The caller makes the offer; the callee asks for it.
    mutating func changeMedia(_ media: CallMedia) -> [Effect] {
        if role == .caller { return begin(media) }
        askedMedia = media
        wantNewMedia(media)
        return [send(.renegotiate(media))] + start(.change)
    }

    /// Replaces the current connection, which has failed at this end, by one with the same media.
    ///
    /// The call ends if that is not possible: it is not connected yet, the peer is gone, or too many have failed.
    mutating func connectionFailed(_ text: String) -> [Effect] {
        guard current.failure == nil else { return [.ignored("a further failure of generation \(current.number)")] }
        // This end has left it already.
        let isShown = next?.isCommittedHere != true
        guard hasFirstFrame, !isShown || peerPresence != .gone && replacements < Self.maximumReplacements else {
            return finish(.mediaFailed, text: text, by: .local)
        }
        let abandoned = abandonRestart(of: current.number)
        (current.failure, current.isInterrupted) = (text, true)
        guard isShown else { return abandoned }
        replacements += 1
        let warning = Effect.notify(.mediaWarning(text: "another connection replaces the one that failed: \(text)"))
        // The new one gets as long as if the media had stopped now.
        let timer = isInterrupted ? start(.mediaLost) : []
        return abandoned + [warning] + timer + replaceFailed()
    }

    private mutating func replaceFailed() -> [Effect] {
        // A change that is under way brings another connection anyway.
        if next != nil { return [] }
        guard isAskingForMedia else { return changeMedia(current.media) }
        // The caller may have ignored the request for other media.
        return [send(.renegotiate(current.media))] + start(.change)
    }

    private mutating func begin(_ media: CallMedia) -> [Effect] {
        wantNewMedia(media)
        return open(media)
    }

    /// The end that asks for a medium sends its own, if it has a source.
    private mutating func wantNewMedia(_ media: CallMedia) {
        if media.audio, !current.media.audio, !sourceless.contains(.audio) { own.audio = .on }
        if media.video, !current.media.video, !sourceless.contains(.video) { own.video = .on }
    }

    /// This end's user has not agreed to send what the peer added, except what this end asked for.
    private mutating func takeNewMedia(_ media: CallMedia) {
        if media.audio, !current.media.audio, askedMedia?.audio != true { own.audio = .off }
        if media.video, !current.media.video, askedMedia?.video != true { own.video = .off }
        askedMedia = nil
    }

    private mutating func open(_ media: CallMedia) -> [Effect] {
        highest += 1
        next = Generation(number: highest, media: media)
        next?.isBuilt = true
        return [.createOffer(media, generation: highest)] + start(.change)
    }

    /// The callee asks for other media, or for the same media on another connection: its end of that generation has failed.
    mutating func renegotiate(_ media: CallMedia, generation number: Int) -> [Effect] {
        let media = media.allowingData(allowsData)
        let isPossible = media == current.media ? number == current.number : hold == .none
        guard role == .caller, next == nil, isPossible else {
            return [.ignored("a change of media that is not possible now")]
        }
        guard hasFirstFrame else {
            requestedMedia = media
            return start(.change)
        }
        takeNewMedia(media)
        return open(media)
    }

    /// Offers what the callee asked for when it was connected and this end was not.
    mutating func offerRequestedMedia() -> [Effect] {
        guard let media = requestedMedia else { return [] }
        requestedMedia = nil
        return [.cancelTimer(.change)] + renegotiate(media, generation: current.number)
    }

    /// Another device accepted than the one whose answer this caller took: it needs an offer of its own.
    mutating func replaceCurrent() -> [Effect] {
        let old = current
        (hasFirstFrame, isInterrupted) = (false, false)
        highest += 1
        current = Generation(number: highest, media: old.media)
        current.isBuilt = true
        return [.close(generation: old.number), .createOffer(old.media, generation: current.number)]
    }

    /// The caller offers another peer connection.
    mutating func takeOffer(_ offer: SignalingMessage.Offer, generation number: Int) -> [Effect] {
        guard role == .callee, phase == .accepted, !isAcceptPending, number > highest else {
            return [.ignored("an offer of generation \(number)")]
        }
        highest = number
        let media = offer.media.allowingData(allowsData)
        var generation = Generation(number: number, media: media)
        generation.isBuilt = true
        var effects: [Effect] = next.map { abandonRestart(of: $0.number) + [.close(generation: $0.number)] } ?? []
        takeNewMedia(media)
        if current.isVerified || hasFirstFrame {
            next = generation
            effects += start(.change)
        } else {
            // The caller took another device's answer, so no media flows here that could continue meanwhile.
            effects += abandonRestart(of: current.number) + [.close(generation: current.number)]
            (hasFirstFrame, isInterrupted) = (false, false)
            (current, next) = (generation, nil)
        }
        return effects + [.createAnswer(offer: offer.sdp, media, generation: number)]
    }

    /// Sends `commit` as soon as the peer's media arrives on the next connection.
    mutating func commit() -> [Effect] {
        // For the caller it is the next connection; for this end, which had no other, it is the only one.
        if current.isCommittedThere, !current.isCommittedHere, hasFirstFrame {
            current.isCommittedHere = true
            return [send(.commit)]
        }
        guard var generation = next, !generation.isCommittedHere, hasMedia(generation) else { return [] }
        generation.isCommittedHere = true
        next = generation
        return [send(.commit, of: generation)] + completeIfAgreed()
    }

    mutating func peerCommitted(_ number: Int) -> [Effect] {
        if number > 0, number == current.number, !current.isCommittedThere {
            current.isCommittedThere = true
            return []
        }
        guard next?.number == number else { return [.ignored("a commit of generation \(number)")] }
        next?.isCommittedThere = true
        return completeIfAgreed()
    }

    private mutating func completeIfAgreed() -> [Effect] {
        guard let generation = next, generation.isCommittedHere, generation.isCommittedThere else { return [] }
        let old = current
        let abandoned = abandonRestart(of: old.number)
        (current, next) = (generation, nil)
        askedMedia = nil
        return abandoned
            + [.close(generation: old.number), .cancelTimer(.change), .notify(.mediaChanged(current.media))]
    }

    /// The other end gives the next connection up; or it is the caller, and refuses to make one.
    mutating func peerRolledBack(_ number: Int) -> [Effect] {
        if next == nil, number == current.number, isAskingForMedia {
            let effects = askedInVain("the caller makes no other connection")
            return end == nil ? [.cancelTimer(.change)] + effects : effects
        }
        guard next?.number == number else { return [.ignored("a rollback of generation \(number)")] }
        return abandonNext("the other end does not receive")
    }

    /// Gives the next connection up and sends `rollback`; impossible once this end has committed.
    mutating func rollBack(_ text: String) -> [Effect] {
        guard let generation = next, !generation.isCommittedHere else { return [] }
        // There is nothing to go back to.
        if let failure = current.failure { return finish(.mediaFailed, text: failure, by: .local) }
        return [send(.rollback, of: generation)] + abandonNext(text)
    }

    private mutating func abandonNext(_ text: String) -> [Effect] {
        guard let generation = next else { return [] }
        if let failure = current.failure { return finish(.mediaFailed, text: failure, by: .local) }
        let abandoned = abandonRestart(of: generation.number)
        next = nil
        askedMedia = nil
        return abandoned
            + [.close(generation: generation.number), .cancelTimer(.change), .notify(.mediaChangeFailed(text: text))]
    }

    mutating func changeTimedOut() -> [Effect] {
        guard let generation = next else {
            // The callee gives up after the same time.
            requestedMedia = nil
            return isAskingForMedia ? askedInVain("the caller made no offer") : []
        }
        // This end has committed; now the peer decides.
        return generation.isCommittedHere ? start(.change) : rollBack("no media of the other end arrived in time")
    }

    private mutating func askedInVain(_ text: String) -> [Effect] {
        if let failure = current.failure { return finish(.mediaFailed, text: failure, by: .local) }
        askedMedia = nil
        return [.notify(.mediaChangeFailed(text: text))]
    }
}
