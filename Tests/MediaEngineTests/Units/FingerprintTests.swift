import Testing

@testable import MediaEngine

@Suite("A fingerprint") struct FingerprintTests {
    @Test(
        "is parsed with each digest of RFC 8122, in either case, and written in upper case",
        arguments: [("sha-1", 20), ("sha-256", 32), ("sha-384", 48), ("sha-512", 64)])
    func isRead(name: String, count: Int) throws {
        let lower = "\(name) " + (0..<count).map { _ in "ab" }.joined(separator: ":")
        let read = try #require(Fingerprint(attribute: lower))
        #expect(read.algorithm.rawValue == name && read.algorithm.byteCount == count)
        #expect(read.description == "\(name) " + (0..<count).map { _ in "AB" }.joined(separator: ":"))
        #expect(Fingerprint(attribute: read.description) == read)
        #expect(Fingerprint(attribute: name.uppercased() + lower.dropFirst(name.count)) == read)
        #expect(Fingerprint(attribute: lower + ":ab") == nil)
        #expect(Fingerprint(attribute: String(lower.dropLast(3))) == nil)
    }

    @Test(
        "is not parsed from anything else",
        arguments: [
            "", " ", "sha-256", "sha-256 ", "sha-256 AB", "AB:CD", "md5 AB",
            SDPSamples.fingerprint.replacing(":", by: ""), SDPSamples.fingerprint.replacing(":", by: "-"),
            SDPSamples.fingerprint + " x", SDPSamples.fingerprint.replacing("7B", by: "7G"),
            SDPSamples.fingerprint.replacing("7B", by: "７Ｂ"), SDPSamples.fingerprint.replacing("7B", by: "7B\u{301}"),
        ])
    func isNotRead(text: String) { #expect(Fingerprint(attribute: text) == nil) }

    @Test("of a certificate is that of its first PEM block only, whatever surrounds it")
    func ofCertificate() throws {
        let certificate = try DtlsCertificate()
        let own = certificate.fingerprint
        #expect(own.algorithm == .sha256)
        #expect(certificate.pem.contains("PRIVATE KEY"))
        #expect(Fingerprint(ofCertificate: certificate.pem, algorithm: .sha256) == own)
        let alone = certificate.pem.components(of: "-----BEGIN PRIVATE KEY-----")[0]
        #expect(Fingerprint(ofCertificate: alone, algorithm: .sha256) == own)
        #expect(Fingerprint(ofCertificate: "a comment\n" + alone, algorithm: .sha256) == own)
        #expect(Fingerprint(ofCertificate: alone.replacing("\n", by: "\r\n"), algorithm: .sha256) == own)
        #expect(Fingerprint(ofCertificate: alone, algorithm: .sha512)?.digest.count == 128)
        #expect(try DtlsCertificate().fingerprint != own)
    }

    @Test(
        "of a text that is no certificate is nil",
        arguments: [
            "", "x", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\n%%\n",
        ])
    func ofNoCertificate(text: String) { #expect(Fingerprint(ofCertificate: text, algorithm: .sha256) == nil) }

    @Test("that differs, or of an unreadable certificate, fails the check")
    func check() throws {
        let certificate = try DtlsCertificate()
        try UncheckedFingerprint.check(certificate.pem, against: certificate.fingerprint)
        let other = try DtlsCertificate().fingerprint
        #expect(
            throws: MediaError.fingerprintMismatch(
                expected: other.description, actual: certificate.fingerprint.description)
        ) { try UncheckedFingerprint.check(certificate.pem, against: other) }
        #expect(
            throws: MediaError.fingerprintMismatch(expected: other.description, actual: "of no legible certificate")
        ) {
            try UncheckedFingerprint.check("", against: other)
        }
    }

    @Test("of the bytes 'abc' is the known one")
    func knownDigests() {
        #expect(GStreamerLibrary.digest(.sha1, of: Array("abc".utf8)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(GStreamerLibrary.digest(.sha256, of: Array("abc".utf8)) == sha256)
    }
}
