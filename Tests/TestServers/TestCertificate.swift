internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

/// A test certificate for 127.0.0.1 and localhost, with its key, in files.
package struct TestCertificate {
    package let certificate: TemporaryFile
    package let key: TemporaryFile

    package init(host: String = "localhost", address: [UInt8] = [127, 0, 0, 1], expired: Bool = false) throws {
        let secret = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("test of \(host)") }
        let now = Date()
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(secret.publicKey),
            notValidBefore: now.addingTimeInterval(-7_200),
            notValidAfter: now.addingTimeInterval(expired ? -3_600 : 3_600),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                SubjectAlternativeNames([
                    .dnsName(host), .ipAddress(ASN1OctetString(contentBytes: address[...])),
                ])
            }, issuerPrivateKey: .init(secret))
        self.certificate = try TemporaryFile(try certificate.serializeAsPEM().pemString + "\n")
        key = try TemporaryFile(secret.pemRepresentation + "\n")
    }
}
