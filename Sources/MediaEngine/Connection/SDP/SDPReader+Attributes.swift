/// Reads single attributes of an m-line; ignores malformed ones.
extension SDPReader {
    static func direction(_ lines: [SDPLine]) -> MediaDirection? {
        lines.compactMap { MediaDirection(rawValue: $0.type == "a" ? $0.value : "") }.last
    }

    /// The feedback that the engine itself offers and understands.
    static let knownFeedback: Set<String> = [
        "nack", "nack pli", "ccm fir", TransportFeedback.name, ReceiverEstimate.name,
    ]

    /// The values of one attribute for a payload type.
    static func texts(of payload: Int, _ lines: [SDPLine]) -> [String] {
        let start = "\(payload) "
        return lines.compactMap { line in
            line.attributeValue.hasPrefix(start) ? String(line.attributeValue.dropFirst(start.count)) : nil
        }
    }

    /// The limit of RFC 3890, else that of RFC 8866; zero would stop the sender, so it is ignored.
    static func bandwidthKbit(_ lines: [SDPLine]) -> Int? {
        for (name, perKbit) in [("TIAS:", 1_000), ("AS:", 1)] {
            let line = lines.first { $0.type == "b" && $0.value.hasPrefix(name) }
            guard let line, let value = UInt32(line.value.dropFirst(name.count)) else { continue }
            let kbit = Int(value) / perKbit
            if kbit > 0 { return min(kbit, 2_000_000) }
        }
        return nil
    }

    static func ptimeMs(_ lines: [SDPLine]) -> Int? {
        guard let line = lines.first(where: { $0.attribute == "ptime" }), let value = Int(line.attributeValue) else {
            return nil
        }
        return OpusParameters.ptimesMs.contains(value) ? value : nil
    }

    static func profile(of encoding: String, _ parameters: String?) -> String? {
        guard let name = MediaSection.Format.profileName(of: encoding), let parameters else { return nil }
        let start = "\(name)="
        for parameter in parameters.split(separator: ";").map({ $0.drop { $0 == " " } })
        where parameter.hasPrefix(start) {
            let value = parameter.dropFirst(start.count)
            if (1...6).contains(value.utf8.count), value.utf8.allSatisfy(\.isAlphanumeric) { return String(value) }
        }
        return nil
    }

    /// The `apt` of a format of retransmissions (RFC 4588 section 8.1).
    static func repairedPayloadType(of encoding: String, _ parameters: String?) -> Int? {
        guard encoding.lowercased().hasPrefix("rtx/"), let parameters else { return nil }
        let words = parameters.split(separator: ";").map { $0.filter { $0 != " " } }
        guard let word = words.first(where: { $0.hasPrefix("apt=") }), let payloadType = Int(word.dropFirst(4)),
            (0...127).contains(payloadType)
        else { return nil }
        return payloadType
    }

    /// Whether an Opus sender announces two channels (RFC 7587 section 6.1); it need not send them.
    static func sendsStereo(_ parameters: String?) -> Bool {
        parameters?.split(separator: ";").contains { $0.filter { $0 != " " } == "sprop-stereo=1" } == true
    }

    /// The parameters that `webrtcbin` may get.
    static func checkedParameters(_ text: String) -> String? {
        let parameters = text.split(separator: ";").map { $0.drop { $0 == " " } }
            .filter {
                FormatParameters.isKept($0) && $0.utf8.count <= 256 && $0.utf8.allSatisfy(\.isPrintable)
            }
        return parameters.isEmpty ? nil : parameters.joined(separator: ";")
    }

    /// The id of `a=extmap` (RFC 8285 section 5), if it fits into a header of one byte and holds for both directions, or `besides` for this one.
    static func headerExtension(_ uri: String, _ lines: [SDPLine], besides direction: MediaDirection? = nil) -> Int? {
        for line in lines where line.attribute == "extmap" {
            let words = line.attributeValue.split(separator: " ")
            guard words.count >= 2, words[1] == uri else { continue }
            let parts = words[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            let taken = MediaDirection(rawValue: String(parts.count > 1 ? parts[1] : "sendrecv"))
            guard let taken, taken == .sendrecv || taken == direction, let id = Int(parts[0]), (1...14).contains(id)
            else { continue }
            return id
        }
        return nil
    }

    static func sources(_ lines: [SDPLine]) -> [MediaSection.Source] {
        lines.compactMap { line in
            guard line.attribute == "ssrc" else { return nil }
            let words = line.attributeValue.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let ssrc = UInt32(words[0]), words[1].hasPrefix("cname:") else { return nil }
            let cname = words[1].dropFirst(6)
            guard (1...128).contains(cname.utf8.count), cname.utf8.allSatisfy(\.isVisible) else {
                return nil
            }
            return MediaSection.Source(ssrc: ssrc, cname: String(cname))
        }
        .prefix(16).map { $0 }
    }
}
