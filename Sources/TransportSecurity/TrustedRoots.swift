internal import Foundation
package import NIOSSL
internal import Synchronization

/// Makes the context that the TLS connections of a client share: the certificates to trust.
package enum TrustedRoots {
    /// The roots cannot be read; the text says which.
    package struct Unreadable: Error {
        package let text: String
    }

    /// The contexts by file; nil stands for the system's roots alone.
    private static let known = Mutex<[String?: (version: FileVersion?, context: NIOSSLContext)]>([:])

    /// The system's roots, and those of `file`; certificates and host names are always verified.
    ///
    /// Read once per process, for all its connections: the system has some hundred root certificates. When `file` changes, it is
    /// read again, together with the system's roots. Reads files: do not call it on an event loop.
    package static func context(file: String?) throws(Unreadable) -> NIOSSLContext {
        let version = file.flatMap(FileVersion.init)
        if let present = known.withLock({ $0[file] }), present.version == version { return present.context }
        let context = try read(file)
        // When two calls read at the same time, all use the first one's context.
        return known.withLock { known in
            if let present = known[file], present.version == version { return present.context }
            known[file] = (version, context)
            return context
        }
    }

    private static func read(_ file: String?) throws(Unreadable) -> NIOSSLContext {
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
            throw Unreadable(text: "the system's trusted roots cannot be read; apt install ca-certificates")
        }
    }
}

/// Identifies the version of a file, to detect changes.
private struct FileVersion: Equatable {
    private let number: UInt64
    private let size: UInt64
    private let modified: Date

    /// Nil when there is no such file.
    init?(_ path: String) {
        // Follow links: the attributes of the file itself count.
        let path = URL(filePath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let number = attributes[.systemFileNumber] as? UInt64, let size = attributes[.size] as? UInt64,
            let modified = attributes[.modificationDate] as? Date
        else { return nil }
        (self.number, self.size, self.modified) = (number, size, modified)
    }
}
