internal import CallAgent
internal import NIOSSL

/// Makes what a client's TLS connections share: whom to trust.
enum TrustedRoots {
    /// The system's roots, and those of `file`; certificates and host names are always verified.
    ///
    /// Reads files: not for an event loop.
    static func context(file: String?, url: SignalingURL) throws(SignalingError) -> NIOSSLContext {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let file {
            do {
                tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(file))]
            } catch {
                throw .unreachable(url.text, text: "the file with trusted roots, \(file), holds no certificates in PEM")
            }
        }
        do {
            return try NIOSSLContext(configuration: tls)
        } catch {
            throw .unreachable(url.text, text: "the system's trusted roots cannot be read")
        }
    }
}
