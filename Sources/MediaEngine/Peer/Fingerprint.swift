internal import Foundation

/// The digests that a fingerprint may use, by their names in SDP (RFC 8122 section 5).
enum FingerprintAlgorithm: String, Sendable {
    case sha1 = "sha-1"
    case sha256 = "sha-256"
    case sha384 = "sha-384"
    case sha512 = "sha-512"

    /// The length of the digest in bytes.
    var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}

/// The fingerprint of a certificate, as `a=fingerprint` names it (RFC 8122).
struct Fingerprint: Sendable, Equatable, CustomStringConvertible {
    let algorithm: FingerprintAlgorithm
    /// Lower case hexadecimal digits without colons.
    let digest: String

    /// Reads the value of an `a=fingerprint` attribute; nil when it is malformed.
    init?(attribute: String) {
        let words = attribute.split(separator: " ")
        guard words.count == 2, let algorithm = FingerprintAlgorithm(rawValue: words[0].lowercased()) else {
            return nil
        }
        let pairs = words[1].split(separator: ":", omittingEmptySubsequences: false)
        // Of Unicode's hexadecimal digits only those of ASCII count here.
        guard pairs.count == algorithm.byteCount,
            pairs.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) })
        else {
            return nil
        }
        self.algorithm = algorithm
        digest = pairs.joined().lowercased()
    }

    /// Computes the fingerprint of a certificate given as PEM; nil when that is malformed.
    init?(ofCertificate pem: String, algorithm: FingerprintAlgorithm) {
        let body = pem.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .drop { $0 != "-----BEGIN CERTIFICATE-----" }.dropFirst()
            .prefix { $0 != "-----END CERTIFICATE-----" }
        guard let der = Data(base64Encoded: body.joined()), !der.isEmpty,
            let digest = GStreamerLibrary.digest(algorithm, of: [UInt8](der))
        else { return nil }
        self.algorithm = algorithm
        self.digest = digest
    }

    /// As SDP writes it.
    var description: String {
        let digits = Array(digest.uppercased())
        let pairs = stride(from: 0, to: digits.count, by: 2).map { String(digits[$0..<min($0 + 2, digits.count)]) }
        return "\(algorithm.rawValue) \(pairs.joined(separator: ":"))"
    }
}
