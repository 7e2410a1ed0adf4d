internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

/// A self-signed ECDSA P-256 certificate with its key, as DTLS in WebRTC uses it (RFC 8827 section 6.5).
struct DtlsCertificate: Sendable {
    /// Certificate and PKCS #8 key, one after the other, in PEM.
    let pem: String
    /// The fingerprint that the peer is to expect.
    let fingerprint: Fingerprint

    /// Makes a new key and certificate.
    ///
    /// Takes under 1 ms.
    ///
    /// Each call has its own, so that the fingerprint does not reveal that two calls come from one process.
    init() throws(MediaError) {
        do {
            let key = P256.Signing.PrivateKey()
            let name = try DistinguishedName { CommonName("WebRTC") }
            // RFC 8827 requires no check of dates; a day back helps peers whose clock is slow.
            let certificate = try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
                notValidBefore: Date(timeIntervalSinceNow: -86_400),
                notValidAfter: Date(timeIntervalSinceNow: 30 * 86_400),
                issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256, extensions: Certificate.Extensions(),
                issuerPrivateKey: .init(key))
            let publicPart = try certificate.serializeAsPEM().pemString
            guard let fingerprint = Fingerprint(ofCertificate: publicPart, algorithm: .sha256) else {
                throw MediaError.rejected(operation: "making a DTLS certificate", text: "its PEM is not legible")
            }
            self.fingerprint = fingerprint
            pem = publicPart + "\n" + key.pemRepresentation + "\n"
        } catch {
            throw .rejected(operation: "making a DTLS certificate", text: "\(error)")
        }
    }
}
