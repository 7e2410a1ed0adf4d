internal import CallAgent
internal import MediaEngine

/// One end of a call as the program's JSON has it.
///
/// Names may be added, never changed.
struct CallDocument: Encodable {
    struct End: Encodable {
        let reason: String
        let code: Int
        let text: String
        let by: String
    }

    struct Sent: Encodable {
        let codec: String
        let width: Int?
        let height: Int?
        let frames: Int?
        let toneHz: Double?
    }

    struct VideoReceived: Encodable {
        let codec: String
        let width: Int?
        let height: Int?
        let frames: Int
        let distinctFrames: Int
        let shownBeforeConnected: Int
        let rtpPacketsBeforeAccept: Int?
    }

    struct AudioReceived: Encodable {
        let codec: String
        let samples: Int
        let toneHz: Double?
        let heardBeforeConnected: Int
        let rtpPacketsBeforeAccept: Int?
        let dtmf: String?
    }

    struct Media<Received: Encodable>: Encodable {
        let sent: Sent
        let received: Received
    }

    struct Transport: Encodable {
        let localCandidate: String?
        let remoteCandidate: String?
        let rttMs: Double?
        let packetsLost: Int
        let bytesSent: Int
        let bytesReceived: Int
    }

    struct Record: Encodable {
        let ms: Double
        let kind: CallRecord.Kind
        let action: String
    }

    let callId: String
    let role: CallRole
    let peer: String
    let media: CallMedia
    let startedUnixMs: Double
    let state: CallState
    let end: End?
    let timelineMs: [String: Double]
    let video: Media<VideoReceived>?
    let audio: Media<AudioReceived>?
    let transport: Transport
    let room: String?
    let hold: HoldState
    let connectedMs: Double?
    let offersCallAgain: Bool
    let warnings: [String]
    let records: [Record]
    /// As `RTCStatsReport` has them; nil when there was no connection.
    let statistics: StatisticsReport?

    /// - Parameter acceptedAtCallee: when the callee called `accept()`; by default as far as this end knows.
    init(_ report: CallReport, acceptedAtCallee: ContinuousClock.Instant? = nil) {
        callId = report.callId
        role = report.role
        peer = report.peer
        media = report.media
        startedUnixMs = report.timeline.startedUnixMs.rounded(toPlaces: 1)
        state = report.state
        end = report.end.map {
            End(
                reason: $0.reason.rawValue, code: $0.code, text: $0.text,
                by: $0.by == .local ? report.user : report.peer)
        }
        timelineMs = Dictionary(
            uniqueKeysWithValues: report.timeline.milliseconds.map { ($0.key.rawValue, $0.value.rounded(toPlaces: 2)) })
        // Only the caller can receive too early what the callee has not released yet.
        let accepted = report.role == .caller ? acceptedAtCallee ?? report.acceptedAtCallee : nil
        video = report.statistics.video.map { track in
            let received = track.received
            return Media(
                sent: Sent(track.sent),
                received: VideoReceived(
                    codec: received.codec, width: received.width, height: received.height, frames: received.decoded,
                    distinctFrames: received.distinctFrames ?? 0, shownBeforeConnected: received.shownBeforeOpening,
                    rtpPacketsBeforeAccept: accepted.map { received.arrivals(before: $0) }))
        }
        audio = report.statistics.audio.map { track in
            let received = track.received
            return Media(
                sent: Sent(track.sent),
                received: AudioReceived(
                    codec: received.codec, samples: received.decoded, toneHz: received.toneHz?.rounded(toPlaces: 2),
                    heardBeforeConnected: received.shownBeforeOpening,
                    rtpPacketsBeforeAccept: accepted.map { received.arrivals(before: $0) },
                    dtmf: report.keysReceived.isEmpty ? nil : report.keysReceived))
        }
        let transport = report.statistics.transport
        self.transport = Transport(
            localCandidate: transport.localCandidate, remoteCandidate: transport.remoteCandidate,
            rttMs: transport.roundTripMs?.rounded(toPlaces: 2), packetsLost: transport.packetsLost,
            bytesSent: transport.bytesSent, bytesReceived: transport.bytesReceived)
        room = report.room
        hold = report.hold
        connectedMs = report.connectedMs?.rounded(toPlaces: 2)
        offersCallAgain = report.offersCallAgain
        warnings = report.warnings
        let entries = report.statistics.rtcStatistics
        statistics = entries.transport == nil ? nil : entries
        records = report.records.map {
            Record(ms: $0.milliseconds.rounded(toPlaces: 2), kind: $0.kind, action: $0.action)
        }
    }
}

extension CallDocument.Sent {
    init(_ sent: MediaReport.Sent) {
        self.init(
            codec: sent.codec, width: sent.width, height: sent.height, frames: sent.width == nil ? nil : sent.frames,
            toneHz: sent.frames > 0 ? sent.toneHz : nil)
    }
}

extension Double {
    func rounded(toPlaces places: Int) -> Double {
        let factor = (0..<places).reduce(1.0) { value, _ in value * 10 }
        return (self * factor).rounded() / factor
    }
}
