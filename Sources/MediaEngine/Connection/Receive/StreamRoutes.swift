internal import Synchronization

/// Finds the track of a stream that the peer sends, if there are several of its kind.
///
/// The mid in the first packet counts (RFC 9143 section 9.2), or else the SSRC in the peer's description. `webrtcbin` 1.22 ignores mids.
final class StreamRoutes: Sendable {
    /// The name of the header extension with the mid (RFC 9143 section 15.3).
    static let extensionURI = "urn:ietf:params:rtp-hdrext:sdes:mid"
    /// The id of the extension in this end's offers; an answer uses the offer's.
    static let offeredId = 6

    /// The attribute for it: this end reads mids and sends none, since its description names its streams.
    static func line(_ id: Int) -> String { "a=extmap:\(id)/recvonly \(extensionURI)" }

    private struct State {
        var mids: [String: TrackID] = [:]
        var described: [UInt32: TrackID] = [:]
        /// The streams whose first packet has a mid, the latest ones.
        var identified: [(ssrc: UInt32, track: TrackID)] = []
        /// The id of the header extension; nil: the peer sends no mids.
        var id: UInt8?
    }
    private let state = Mutex(State())

    /// Takes the m-lines of the peer's description.
    func follow(_ sections: [MediaSection]) {
        state.withLock { state in
            for section in sections {
                state.mids[section.mid] = section.track
                for source in section.sources { state.described[source.ssrc] = section.track }
            }
            state.id = sections.lazy.compactMap(\.midId).first.flatMap { UInt8(exactly: $0) }
        }
    }

    /// Reads the mid of the first packet that enters a new `rtpjitterbuffer`.
    func watch(_ jitterBuffer: Element) throws(MediaError) {
        // The pad owns the closure, which does not own the pad.
        try jitterBuffer.pad("sink").probe { [self] packet in
            _ = packet.reference.withBytes { note(firstPacket: $0) }
            return .passAndRemove
        }
    }

    func note(firstPacket packet: UnsafeRawBufferPointer) {
        state.withLock { state in
            guard let id = state.id, let place = RtpHeaderExtension.place(of: id, in: packet),
                let track = state.mids[String(decoding: packet[place], as: UTF8.self)]
            else { return }
            if state.identified.count == PeerPipeline.maximumStreams { state.identified.removeFirst() }
            let ssrc = UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
            state.identified.append((ssrc, track))
        }
    }

    /// The track of a stream; the first one of its kind for a stream that nothing identifies.
    func track(of ssrc: UInt32?, _ kind: MediaKind) -> TrackID {
        let found = state.withLock { state in
            state.identified.last { $0.ssrc == ssrc }?.track ?? ssrc.flatMap { state.described[$0] }
        }
        guard let found, found.kind == kind else { return TrackID(kind) }
        return found
    }
}
