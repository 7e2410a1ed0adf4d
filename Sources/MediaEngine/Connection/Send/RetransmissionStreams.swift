internal import Synchronization

/// The streams on which packets of a simulcast's versions are sent again, as the description names them (`a=ssrc-group:FID`, RFC 5576 section 4.2).
///
/// `rtprtxsend` chooses such a stream at the first packet of a version, by its `ssrc-map`, and keeps it. webrtcbin writes that map, too: when any
/// stream of either direction begins, with the largest version only, on another thread. A choice between both is a random one, and nothing tells
/// it. So one packet of each version is sent again at once, as far as the element's source: its SSRC shows the choice, and a wrong one is made again.
final class RetransmissionStreams: Sendable {
    private struct State {
        /// The versions that have had no packet since the element forgot its choice for them.
        var unseen: Set<UInt32>
        /// The versions whose stream is not known to be right.
        var unchecked: Set<UInt32>
        /// The version whose packet is sent again to see its stream.
        var isAsked: UInt32?
    }

    private enum Step {
        case pass
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

    /// `streams` are those of what is sent again, by those of the media; `payloadType` is that of what is sent again.
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
            guard let head = packet.withHead(RtpHead.init), let peer,
                let source = try? peer.retransmissionSender?.pad("src")
            else { return .pass }
            switch step(after: head) {
            case .pass: return state.withLock(\.unchecked.isEmpty) ? .passAndRemove : .pass
            case .drop: return .drop
            case .ask(let ssrc):
                peer.retransmitted.noteProbe()
                source.sendAgain(head.number, ssrc: ssrc)
                return .pass
            case .forget(let ssrc):
                source.forgetStream(ssrc)
                // Only now: a packet that asks again before the element has forgotten would get no answer, or the former one.
                state.withLock {
                    $0.unseen.insert(ssrc)
                    $0.isAsked = nil
                }
                return .drop
            }
        }
    }

    /// What follows from a packet that leaves the element.
    private func step(after packet: RtpHead) -> Step {
        state.withLock { state in
            guard packet.payloadType == payloadType else {
                guard state.isAsked == nil, state.unchecked.contains(packet.ssrc),
                    !state.unseen.contains(packet.ssrc)
                else { return .pass }
                state.isAsked = packet.ssrc
                return .ask(packet.ssrc)
            }
            guard let asked = state.isAsked else { return .pass }
            if streams[asked] == packet.ssrc {
                state.isAsked = nil
                state.unchecked.remove(asked)
                return .drop
            }
            guard !streams.values.contains(packet.ssrc) else { return .pass }
            return .forget(asked)
        }
    }
}
