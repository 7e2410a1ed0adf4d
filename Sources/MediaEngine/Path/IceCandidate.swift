internal import LocalNetwork

/// One ICE candidate as it is trickled (RFC 8838).
public struct IceCandidate: Sendable, Equatable {
    /// The index of the m-line it belongs to, from 0.
    public let mLine: Int
    /// The candidate attribute without `a=`; empty for the end of candidates.
    public let candidate: String

    /// Makes a candidate; it is checked when it is added to a peer connection.
    public init(mLine: Int, candidate: String) {
        self.mLine = mLine
        self.candidate = candidate
    }

    /// The end of a peer's candidates.
    public static let endOfCandidates = IceCandidate(mLine: 0, candidate: "")

    /// Whether it is the end of the candidates, for any m-line.
    var isEnd: Bool { candidate.isEmpty }

    /// Whether it is a relay candidate of a TURN server.
    var isRelay: Bool { candidate.contains(" typ relay") }

    /// Whether it can be used directly: it has a numeric address, or is the end of the candidates.
    ///
    /// Browsers send a name (`….local`) instead of a private address; see ``multicastName``.
    var namesAddress: Bool {
        let words = candidate.split(separator: " ", omittingEmptySubsequences: false)
        return isEnd || (words.count > 4 && LocalAddresses.isNumeric(String(words[4])))
    }

    /// The name that it has instead of an address, to be looked up by multicast DNS; nil for any other.
    ///
    /// It is one label and `.local` (draft-ietf-mmusic-mdns-ice-candidates section 3.2.1).
    var multicastName: String? {
        let words = candidate.split(separator: " ", omittingEmptySubsequences: false)
        guard !namesAddress, words.count > 4 else { return nil }
        let labels = words[4].lowercased().split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count == 2, !labels[0].isEmpty, labels[1] == "local" else { return nil }
        return labels.joined(separator: ".")
    }

    /// The same candidate at an address.
    func replacingAddress(with address: String) -> IceCandidate {
        var words = candidate.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count > 4 else { return self }
        words[4] = Substring(address)
        return IceCandidate(mLine: mLine, candidate: words.joined(separator: " "))
    }

    /// The username fragment that it names, as candidates of an ICE restart do, and all those of browsers.
    var fragment: String? {
        let words = candidate.split(separator: " ")
        // Pairs of a name and a value follow the type.
        guard let index = words.indices.dropFirst(8).first(where: { $0 % 2 == 0 && words[$0] == "ufrag" }) else {
            return nil
        }
        return words.indices.contains(index + 1) ? String(words[index + 1]) : nil
    }

    /// Checks the grammar of RFC 8839 section 5.1 as far as `webrtcbin` depends on it.
    func check() throws(MediaError) {
        guard !isEnd else { return }
        guard candidate.utf8.count <= 512, candidate.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .invalidCandidate(text: "longer than 512 bytes, or not ASCII")
        }
        let words = candidate.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 8, words[0].hasPrefix("candidate:"), words[0].count <= 10 + 32, words[6] == "typ" else {
            throw .invalidCandidate(text: "not of the form 'candidate:<foundation> <component> <transport> …'")
        }
        guard let component = Int(words[1]), (1...2).contains(component), UInt32(words[3]) != nil,
            UInt16(words[5]) != nil, !words[4].isEmpty
        else { throw .invalidCandidate(text: "a number in it is out of range") }
        guard namesAddress || words[4].utf8.allSatisfy(\.isHostName) else {
            throw .invalidCandidate(text: "its address is neither an IP address nor a name")
        }
        guard ["udp", "tcp"].contains(words[2].lowercased()) else {
            throw .invalidCandidate(text: "neither UDP nor TCP")
        }
        // libnice reads it without looking whether it is there (RFC 6544 section 4.5 requires it).
        let hasTcpType = stride(from: 8, to: words.count - 1, by: 2).contains {
            words[$0] == "tcptype" && ["active", "passive", "so"].contains(words[$0 + 1])
        }
        guard words[2].lowercased() == "udp" || hasTcpType else {
            throw .invalidCandidate(text: "TCP without a tcptype")
        }
        guard ["host", "srflx", "prflx", "relay"].contains(words[7]) else {
            throw .invalidCandidate(text: "an unknown type")
        }
    }
}
