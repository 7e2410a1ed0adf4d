/// Feedback about the arrival of every packet (draft-holmer-rmcat-transport-wide-cc-extensions-01).
///
/// A sender numbers the packets of all its streams in a header extension. The receiver reports when each number arrived, and the sender estimates the
/// bandwidth from that. Without such reports a browser starts at 300 kbit/s and dares only 8 % more each second. `rtpsession` numbers the packets that
/// have the extension, which the payloaders add, and reports on what has numbers. ``BandwidthControl`` reads the peer's reports.
enum TransportFeedback {
    /// The name in `a=extmap`.
    static let extensionURI = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
    /// The value of `a=rtcp-fb`.
    static let name = "transport-cc"
    /// The id of the extension in this end's offers; an answer uses the offer's.
    static let offeredId = 3
    /// How often the peer gets a report, in ms.
    ///
    /// By itself `rtpsession` 1.22 reports at the end of each frame only, so never on audio alone.
    private static let intervalMs = 50

    /// Sets the interval of the reports.
    static func begin(in session: Element) throws(MediaError) {
        try session.object("internal-session")?.set("twcc-feedback-interval", String(intervalMs * 1_000_000))
    }
}

extension RemoteDescription {
    /// The description with the extension in those m-lines only that use `id`: a transport has one numbering.
    func numberingPackets(by id: Int?) -> RemoteDescription {
        var result = self
        for index in result.sections.indices where id == nil || result.sections[index].transportSequenceId != id {
            result.sections[index].transportSequenceId = nil
            for format in result.sections[index].formats.indices {
                result.sections[index].formats[format].feedback.removeAll { $0 == TransportFeedback.name }
            }
        }
        return result
    }
}

extension LocalDescription {
    /// Announces reports on the packets of an m-line, which webrtcbin does not do by itself.
    mutating func addTransportFeedback(_ id: Int, of payloadTypes: [Int], toMLine index: Int) {
        let feedback = payloadTypes.map { "a=rtcp-fb:\($0) \(TransportFeedback.name)" }
        for line in ["a=extmap:\(id) \(TransportFeedback.extensionURI)"] + feedback where !has(line, inMLine: index) {
            append(line, toMLine: index)
        }
    }
}
