internal import Synchronization

/// The streams on which packets of a simulcast's versions are sent again, as the description names them (`a=ssrc-group:FID`, RFC 5576 section 4.2).
///
/// `rtprtxsend` chooses such a stream at the first packet of a version, by its `ssrc-map`, and keeps it. webrtcbin overwrites that map when it applies
/// a description and when a received stream begins, with the largest version only, on other threads. So the element may read either map, and none
/// of its properties tells which. Therefore the first packet of each version is sent again and dropped at the element's source pad: its SSRC shows
/// the choice. The element forgets a wrong choice, and chooses anew at the next packet.
///
/// A packet that the peer requests meanwhile counts as the answer, too, and is dropped. The peer requests it again.
final class RetransmissionStreams: Sendable {
    /// After so many packets of a version without an answer, another one is sent again: the element may have dropped the former one.
    private static let patience = 50
    /// After so many packets that were sent again, the versions keep what they have: each new choice costs the packets before it.
    private static let mostAsks = 20

    private struct State {
        /// The versions that have had no packet since the element forgot its choice for them.
        var unseen: Set<UInt32>
        /// The versions whose stream is not known to be right.
        var unchecked: Set<UInt32>
        /// The version whose check waits for its answer.
        var asked: UInt32?
        /// How many packets of that version followed.
        var waited = 0
        var asks = 0
    }

    private enum Step {
        case pass
        /// Nothing is left to check.
        case end
        /// The packet has to be sent again.
        case ask(UInt32)
        /// The packet was the answer.
        case drop
        /// The packet was the answer, on another stream than the one that the description names.
        case forget(UInt32)
    }

    private let streams: [UInt32: UInt32]
    private let payloadType: Int
    private let state: Mutex<State>

    /// `streams` has the SSRC of the retransmissions for each SSRC of the media; `payloadType` is that of the retransmissions.
    init(_ streams: [UInt32: UInt32], payloadType: Int) {
        (self.streams, self.payloadType) = (streams, payloadType)
        state = Mutex(State(unseen: Set(streams.keys), unchecked: Set(streams.keys)))
    }

    /// Lets the `rtprtxsend` of `peer` use the streams, from the first packet on.
    func assign(in peer: PeerPipeline) throws(MediaError) {
        guard let sender = peer.retransmissionSender else { return }
        let (sink, source) = (try sender.pad("sink"), try sender.pad("src"))
        let map = "application/x-rtp-ssrc-map" + streams.map { ",\($0)=(uint)\($1)" }.sorted().joined()
        sink.endForgottenStreams()
        // The pads own the handlers, which must not own their pipeline.
        sink.probe { [self, weak peer] packet in
            guard let head = packet.withHead(RtpHead.init) else { return .pass }
            let (isFirst, isOver) = state.withLock { ($0.unseen.remove(head.ssrc) != nil, $0.unchecked.isEmpty) }
            if isFirst { try? peer?.retransmissionSender?.set("ssrc-map", map) }
            return isOver ? .passAndRemove : .pass
        }
        source.probe { [self, weak peer] packet in
            guard let head = packet.withHead(RtpHead.init) else { return .pass }
            switch step(after: head) {
            case .pass: return .pass
            case .end: return .passAndRemove
            case .drop: return .drop
            case .ask(let ssrc):
                peer?.retransmitted.noteProbe()
                try? peer?.retransmissionSender?.pad("src").sendAgain(head.number, ssrc: ssrc)
                return .pass
            case .forget(let ssrc):
                try? peer?.retransmissionSender?.pad("src").forgetStream(ssrc)
                // Only now: a packet that asks again before the element has forgotten would get no answer, or the former one.
                state.withLock {
                    $0.unseen.insert(ssrc)
                    $0.asked = nil
                }
                return .drop
            }
        }
    }

    /// What follows from a packet that leaves the element.
    private func step(after packet: RtpHead) -> Step {
        state.withLock { state in
            if state.unchecked.isEmpty { return .end }
            return packet.payloadType == payloadType ? Self.answer(packet, &state, streams) : Self.ask(packet, &state)
        }
    }

    private static func ask(_ packet: RtpHead, _ state: inout State) -> Step {
        guard state.unchecked.contains(packet.ssrc), !state.unseen.contains(packet.ssrc) else { return .pass }
        if let asked = state.asked {
            guard asked == packet.ssrc else { return .pass }
            state.waited += 1
            guard state.waited >= patience else { return .pass }
        }
        guard state.asks < mostAsks else {
            state.unchecked = []
            return .end
        }
        (state.asked, state.waited, state.asks) = (packet.ssrc, 0, state.asks + 1)
        return .ask(packet.ssrc)
    }

    private static func answer(_ packet: RtpHead, _ state: inout State, _ streams: [UInt32: UInt32]) -> Step {
        let isRight = streams.values.contains(packet.ssrc)
        // What the element took before it forgot a wrong choice may leave later.
        guard let asked = state.asked else { return isRight ? .pass : .drop }
        guard streams[asked] == packet.ssrc else { return isRight ? .pass : .forget(asked) }
        state.asked = nil
        state.unchecked.remove(asked)
        return .drop
    }
}
