@testable import MediaEngine

extension SessionDescription {
    /// The mid of the m-line for data, which is the last one; nil: there is none.
    var dataMid: String? {
        let parts = sdp.components(of: "m=application ")
        guard parts.count == 2 else { return nil }
        return parts[1].components(of: "a=mid:").last?.components(of: "\r\n").first
    }

    /// The same description without its m-line for data.
    var withoutData: SessionDescription {
        guard let mid = dataMid else { return self }
        let lines = sdp.components(of: "m=application ")[0].components(of: "\r\n").map { line in
            line.hasPrefix("a=group:BUNDLE") ? line.replacing(" \(mid)", by: "") : line
        }
        return SessionDescription(kind: kind, sdp: lines.joined(separator: "\r\n"))
    }

    /// The same description with data accepted, on the transport of the first m-line.
    func acceptingData(mid: String) -> SessionDescription {
        let text = withoutData.sdp
        let transport = text.components(of: "\r\nm=")[1].components(of: "\r\n").filter { line in
            ["a=ice-ufrag:", "a=ice-pwd:", "a=fingerprint:", "a=setup:"].contains { line.hasPrefix($0) }
        }
        let bundled = text.components(of: "\r\n").dropLast().map { line in
            line.hasPrefix("a=group:BUNDLE") && !line.components(of: " ").contains(mid) ? "\(line) \(mid)" : line
        }
        let data =
            ["m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "c=IN IP4 0.0.0.0", "a=mid:\(mid)"] + transport
            + ["a=sctp-port:5000", ""]
        return SessionDescription(kind: kind, sdp: (bundled + data).joined(separator: "\r\n"))
    }
}
