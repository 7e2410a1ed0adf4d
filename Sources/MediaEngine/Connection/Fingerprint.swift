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
        // Two digits and a colon each; the last pair has none.
        let bytes = Array(words[1].utf8)
        guard bytes.count == algorithm.byteCount * 3 - 1 else { return nil }
        var digits: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isColon = index % 3 == 2
            guard isColon ? byte == UInt8(ascii: ":") : byte.isHexDigit else { return nil }
            if !isColon { digits.append(byte) }
        }
        self.algorithm = algorithm
        digest = String(decoding: digits, as: UTF8.self).lowercased()
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
        var text: [UInt8] = []
        for (index, digit) in digest.uppercased().utf8.enumerated() {
            if index > 0, index % 2 == 0 { text.append(UInt8(ascii: ":")) }
            text.append(digit)
        }
        return "\(algorithm.rawValue) \(String(decoding: text, as: UTF8.self))"
    }
}
