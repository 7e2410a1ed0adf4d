internal import CallAgent
internal import MediaEngine

/// One end of a call as the program's JSON has it.
///
/// Where W3C's statistics have a name for a figure, it has that name; a unit other than theirs is part of the name. docs/cli.md lists all.
struct CallDocument: Codable {
    struct End: Codable {
        let reason: String
        let code: Int
        let text: String
        let by: String
    }

    struct Transport: Codable {
        let localCandidateType: String?
        let remoteCandidateType: String?
        let localAddress: String?
        let remoteAddress: String?
        let `protocol`: String?
        let relayProtocol: String?
        let selectedCandidatePairChanges: Int
        let selectedCandidatePairChangedMs: Double?
        let roundTripTimeMs: Double?
        let packetsLost: Int
        let bytesSent: Int
        let bytesReceived: Int
        let availableOutgoingBitrate: Double?
        let availableIncomingBitrate: Double?
    }

    struct Record: Codable {
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
    let video: TrackDocument?
    let video2: TrackDocument?
    let video3: TrackDocument?
    let video4: TrackDocument?
    let audio: TrackDocument?
    let dataChannel: TestMessages.Figures?
    let transport: Transport
    let room: String?
    let hold: HoldState
    let connectedMs: Double?
    let offersCallAgain: Bool
    let warnings: [String]
    let records: [Record]
    /// Nil for none.
    let recordsLeftOut: Int?

    /// - Parameter acceptedAtCallee: when the callee called `accept()`; by default as far as this end knows.
    init(_ report: CallReport, acceptedAtCallee: ContinuousClock.Instant? = nil) {
        self.init(EndedCall(report: report), acceptedAtCallee: acceptedAtCallee)
    }

    /// The same with the messages of the call.
    init(_ ended: EndedCall, acceptedAtCallee: ContinuousClock.Instant? = nil) {
        let report = ended.report
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
        video = report.statistics.video.map { TrackDocument(video: $0, in: report.statistics, acceptedAt: accepted) }
        func additional(_ number: Int) -> TrackDocument? {
            report.statistics.additionalVideos[number].map {
                TrackDocument(video: $0, number: number, in: report.statistics, acceptedAt: accepted)
            }
        }
        (video2, video3, video4) = (additional(2), additional(3), additional(4))
        audio = report.statistics.audio.map {
            TrackDocument(audio: $0, in: report.statistics, acceptedAt: accepted, dtmf: report.dtmfReceived)
        }
        dataChannel = ended.messages
        let transport = report.statistics.transport
        let pair = transport.selectedPair
        let changed = transport.selectedPairSince.map { ($0 - report.timeline.start) / .milliseconds(1) }
        self.transport = Transport(
            localCandidateType: pair?.local.type.rawValue, remoteCandidateType: pair?.remote.type.rawValue,
            localAddress: pair?.local.text, remoteAddress: pair?.remote.text,
            protocol: pair?.local.transport.rawValue, relayProtocol: pair?.local.relayProtocol?.rawValue,
            selectedCandidatePairChanges: transport.selectedPairChanges,
            selectedCandidatePairChangedMs: changed?.rounded(toPlaces: 1),
            roundTripTimeMs: transport.roundTripMs?.rounded(toPlaces: 2), packetsLost: transport.packetsLost,
            bytesSent: transport.bytesSent, bytesReceived: transport.bytesReceived,
            availableOutgoingBitrate: transport.availableOutgoingBitrate?.rounded(),
            availableIncomingBitrate: transport.availableIncomingBitrate?.rounded())
        room = report.room
        hold = report.hold
        connectedMs = report.connectedMs?.rounded(toPlaces: 2)
        offersCallAgain = report.offersCallAgain
        warnings = report.warnings + report.captureFaults.map(NoticeLine.missing)
        records = report.records.map {
            Record(ms: $0.milliseconds.rounded(toPlaces: 2), kind: $0.kind, action: $0.action)
        }
        recordsLeftOut = report.recordsLeftOut > 0 ? report.recordsLeftOut : nil
    }

    /// When the call reached a stage, in ms since it began; nil if it did not come that far.
    func milliseconds(of stage: CallTimeline.Stage) -> Double? { timelineMs[stage.rawValue] }

    /// Whether the call was connected.
    var isConnected: Bool { milliseconds(of: .connected) != nil }
}

/// One end of a call, with W3C's statistics.
struct DetailedCallDocument: Encodable {
    private enum CodingKeys: CodingKey { case statistics }

    let call: CallDocument
    /// As `RTCStatsReport` has them; nil when there was no connection.
    let statistics: StatisticsReport?

    /// - Parameter acceptedAtCallee: when the callee called `accept()`; by default as far as this end knows.
    init(_ report: CallReport, acceptedAtCallee: ContinuousClock.Instant? = nil) {
        self.init(EndedCall(report: report), acceptedAtCallee: acceptedAtCallee)
    }

    /// The same with the messages of the call.
    init(_ ended: EndedCall, acceptedAtCallee: ContinuousClock.Instant? = nil) {
        call = CallDocument(ended, acceptedAtCallee: acceptedAtCallee)
        let entries = ended.report.statistics.rtcStatistics
        statistics = entries.transport == nil ? nil : entries
    }

    func encode(to encoder: any Encoder) throws {
        try call.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(statistics, forKey: .statistics)
    }
}

extension Double {
    func rounded(toPlaces places: Int) -> Double {
        let factor = (0..<places).reduce(1.0) { value, _ in value * 10 }
        return (self * factor).rounded() / factor
    }
}

extension IceCandidatePair.Candidate {
    /// `192.0.2.1:5000`, `[2001:db8::1]:5000`.
    fileprivate var text: String { address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)" }
}
