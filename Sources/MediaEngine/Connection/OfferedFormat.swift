/// One format of an offer, in any of its m-lines.
struct OfferedFormat: Equatable {
    var payloadType: Int
    /// As in `a=rtpmap`.
    let rtpmap: String
    /// As in `a=fmtp`.
    var fmtp: String?

    init(payloadType: Int, rtpmap: String, fmtp: String? = nil) {
        (self.payloadType, self.rtpmap, self.fmtp) = (payloadType, rtpmap, fmtp)
    }

    /// Makes the format that repeats lost packets of another one (RFC 4588).
    init(retransmissionOf other: Int, payloadType: Int, _ clockRate: Int) {
        self.init(payloadType: payloadType, rtpmap: "rtx/\(clockRate)", fmtp: "apt=\(other)")
    }

    func isRetransmission(of other: Int) -> Bool {
        rtpmap.hasPrefix("rtx/") && Self.parameters(fmtp).contains("apt=\(other)")
    }

    fileprivate func matches(_ rule: PayloadTypeRule) -> Bool {
        guard rule.matches(rtpmap: rtpmap) else { return false }
        let parameters = Self.parameters(fmtp)
        return Self.parameters(rule.fmtp).allSatisfy(parameters.contains)
    }

    private static func parameters(_ fmtp: String?) -> [String] {
        (fmtp ?? "").split(separator: ";").map { String($0.drop { $0 == " " }).lowercased() }
    }
}

extension [OfferedFormat] {
    /// Applies the payload types of the rules, one rule after the other; no two formats get the same number.
    ///
    /// - Returns: The rules that no format matches.
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` for a number out of range.
    mutating func apply(_ rules: [PayloadTypeRule]) throws(MediaError) -> [PayloadTypeRule] {
        var unused: [PayloadTypeRule] = []
        for rule in rules {
            try rule.check()
            guard let index = firstIndex(where: { $0.matches(rule) }) else {
                unused.append(rule)
                continue
            }
            let former = self[index].payloadType
            guard former != rule.payloadType else { continue }
            var moves = [former: rule.payloadType]
            if let other = firstIndex(where: { $0.payloadType == rule.payloadType }) {
                // A number below 96 belongs to a codec of RFC 3551, so no other format may have it.
                let number = PayloadTypeRule.payloadTypes.contains(former) ? former : freeNumber
                self[other].payloadType = number
                moves[rule.payloadType] = number
            }
            self[index].payloadType = rule.payloadType
            for index in indices { self[index].follow(moves) }
        }
        return unused
    }

    /// The highest free number; there are fewer formats than numbers.
    private var freeNumber: Int {
        let taken = Set(map(\.payloadType))
        return PayloadTypeRule.payloadTypes.last { !taken.contains($0) } ?? PayloadTypeRule.payloadTypes.upperBound
    }
}

extension OfferedFormat {
    /// Writes the new number of a format into its retransmission format (RFC 4588).
    fileprivate mutating func follow(_ moves: [Int: Int]) {
        guard rtpmap.lowercased().hasPrefix("rtx/"), let fmtp else { return }
        self.fmtp = fmtp.split(separator: ";").map { parameter in
            guard parameter.hasPrefix("apt="), let number = Int(parameter.dropFirst(4)), let new = moves[number] else {
                return String(parameter)
            }
            return "apt=\(new)"
        }
        .joined(separator: ";")
    }
}
