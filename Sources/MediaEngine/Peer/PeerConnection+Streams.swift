/// What waits between the pipeline, the connection and the application, and what of it is dropped.
extension PeerConnection {
    /// The most events that wait in ``events``, but for those that are never dropped.
    ///
    /// When the application is further behind, what tells it least goes first, the oldest of it: keys that the peer pressed, states that have changed since (sizes of
    /// pictures, silence, what happened to a capture) and data channels that are over. ``PeerConnectionEvent/Kind/eventsDropped(_:)`` says how many. Everything
    /// else is kept, candidates and failures among it: a connection has only so many of them.
    public static let maximumWaitingEvents = 256

    static func makeEvents() -> BoundedStream<PeerConnectionEvent> {
        BoundedStream(limit: maximumWaitingEvents) {
            $0.worth
        } notice: {
            PeerConnectionEvent(.eventsDropped($0))
        }
    }

    /// What the pipeline reports is read by the connection itself, which may be held up by a `webrtcbin` that hangs.
    static func makeReports() -> BoundedStream<PeerPipeline.Report> {
        BoundedStream(limit: maximumWaitingEvents) {
            $0.worth
        } notice: {
            .warning("\($0) reports of the pipeline were dropped: more came than could be taken")
        }
    }
}

extension PeerConnectionEvent {
    fileprivate var worth: BoundedStream<Self>.Worth {
        switch kind {
        case .dtmf: .repeated
        case .dataChannel(let channel): channel.isOver ? .repeated : .kept
        case .interrupted, .resumed: .latest("silence")
        case .picturesSent: .latest("sent")
        case .picturesReceived: .latest("received")
        case .captureFailed(let kind, _), .captureLost(let kind, _), .captureRestored(let kind):
            .latest("capture of \(kind)")
        case .iceConnected: .first("ICE")
        case .failed: .first("failure")
        case .localCandidate, .candidatesGathered, .relayUnavailable, .verified, .firstFrame, .firstShown,
            .recordingFailed, .sinkFailed, .trackFailed, .eventsDropped:
            .kept
        }
    }
}

extension PeerPipeline.Report {
    fileprivate var worth: BoundedStream<Self>.Worth {
        switch self {
        case .event: .kept
        // Of these only the first counts in any case.
        case .peerCertificate: .first("certificate")
        case .readyToSend: .first("keys")
        case .dataChannel(let channel): channel.isOver ? .repeated : .kept
        case .bus(.latencyChanged): .latest("latency")
        // An element that has failed may fail with each packet.
        case .bus(.error(let element, _, _, _)): .first(element)
        case .bus, .warning: .repeated
        }
    }
}
