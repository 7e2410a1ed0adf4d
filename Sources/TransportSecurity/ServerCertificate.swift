internal import FoundationEssentials
package import NIOSSL

/// The certificate and the key with which a server proves who it is.
package struct ServerCertificate: Sendable {
    /// The certificate chain in PEM, the server's own certificate first.
    package var chainFile: String
    /// The private key in PEM, without a password.
    package var keyFile: String

    package init(chainFile: String, keyFile: String) { (self.chainFile, self.keyFile) = (chainFile, keyFile) }

    /// Which file cannot be used, and why.
    package struct Unusable: Error, Sendable, Equatable {
        package var file: String
        package var text: String
    }

    /// The TLS context of an HTTP/1.1 server, with TLS 1.2 or later.
    package func context() throws(Unusable) -> NIOSSLContext {
        for file in [chainFile, keyFile] where !FileManager.default.isReadableFile(atPath: file) {
            throw Unusable(file: file, text: "it cannot be read; does it exist, and may this user read it?")
        }
        guard let chain = try? NIOSSLCertificate.fromPEMFile(chainFile), !chain.isEmpty else {
            throw Unusable(file: chainFile, text: "it holds no certificate chain in PEM")
        }
        guard let key = try? NIOSSLPrivateKey(file: keyFile, format: .pem) else {
            throw Unusable(file: keyFile, text: "it holds no private key in PEM without a password")
        }
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["http/1.1"]
        do {
            return try NIOSSLContext(configuration: tls)
        } catch {
            throw Unusable(file: keyFile, text: "it is not the key of the certificate in \(chainFile)")
        }
    }
}
