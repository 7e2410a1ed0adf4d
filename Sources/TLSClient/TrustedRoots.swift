package import NIOSSL

/// Makes what the TLS connections of a client share: whom to trust.
package enum TrustedRoots {
    /// The roots cannot be read; says which.
    package struct Unreadable: Error {
        package let text: String
    }

    /// The system's roots, and those of `file`; certificates and host names are always verified.
    ///
    /// Reads files: not for an event loop.
    package static func context(file: String?) throws(Unreadable) -> NIOSSLContext {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let file {
            do {
                tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(file))]
            } catch {
                throw Unreadable(text: "the file with trusted roots, \(file), holds no certificates in PEM")
            }
        }
        do {
            return try NIOSSLContext(configuration: tls)
        } catch {
            throw Unreadable(text: "the system's trusted roots cannot be read")
        }
    }
}
