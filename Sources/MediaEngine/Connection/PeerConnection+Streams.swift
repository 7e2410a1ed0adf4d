/// The queues between the pipeline, the connection and the application, and what they drop.
extension PeerConnection {
    /// The maximum number of events that wait in ``events``, except for those that are never dropped.
    ///
    /// When the application falls further behind, the least important events are dropped, oldest first: DTMF digits of the peer, states that
    /// have changed since (frame sizes, silence, capture states, paths), candidates of an ICE restart and closed data channels.
    /// ``PeerConnectionEvent/Kind/eventsDropped(_:)`` reports how many. All other events, such as the candidates of the description and
    /// failures, are kept: a connection has a limited number of them.
    public static let maximumWaitingEvents = 256

    static func makeEvents() -> BoundedStream<PeerConnectionEvent> {
        BoundedStream(limit: maximumWaitingEvents) {
            $0.worth
        } notice: {
            PeerConnectionEvent(.eventsDropped($0))
        }
    }

    /// The connection itself reads the reports of the pipeline, and a hanging `webrtcbin` may block it.
    static func makeReports() -> BoundedStream<PeerPipeline.Report> {
        BoundedStream(limit: maximumWaitingEvents) {
            $0.worth
        } notice: {
            .warning("\($0) reports of the pipeline were dropped: more arrived than could be handled")
        }
    }
}

extension PeerConnectionEvent {
    fileprivate var worth: BoundedStream<Self>.Worth {
        switch kind {
        case .dtmf: .repeated
        case .dataChannel(let channel): channel.isOver ? .repeated : .kept
        case .interrupted, .resumed: .latest("silence")
        case .frameSizeSent(_, _, let track): .latest("sent size of \(track)")
        case .frameSizeReceived(_, _, let track): .latest("received size of \(track)")
        case .captureFailed(let track, _), .captureLost(let track, _), .captureRestored(let track):
            .latest("capture of \(track)")
        case .iceConnected: .first("ICE")
        case .pathChecked: .latest("check of the path")
        case .mediaMissing, .pathSilent: .latest("silence of the path")
        case .networkChanged: .latest("network")
        case .iceParameters: .latest("parameters")
        case .pathChanged: .latest("path")
        case .videoAdapted: .repeated
        // A peer can ask for any number of paths.
        case .localCandidate(let candidate) where candidate.fragment != nil: .repeated
        case .failed: .first("failure")
        case .localCandidate, .candidatesGathered, .relayUnavailable, .verified, .firstFrame, .firstShown,
            .recordingFailed, .sinkFailed, .trackRefused, .trackFailed, .eventsDropped:
            .kept
        }
    }
}

extension PeerPipeline.Report {
    fileprivate var worth: BoundedStream<Self>.Worth {
        switch self {
        case .event: .kept
        // Only the first of these counts anyway.
        case .peerCertificate: .first("certificate")
        case .readyToSend: .first("keys")
        case .pathChanged: .latest("path")
        case .dataChannel(let channel): channel.isOver ? .repeated : .kept
        case .bus(.latencyChanged): .latest("latency")
        // A failed element may report an error for each packet.
        case .bus(.error(let element, _, _, _)): .first(element)
        case .bus, .warning: .repeated
        }
    }
}
