import TestServers
import Crypto
import Foundation

/// A pair of ES256 keys in files.
struct TestKeys {
    let publicPEM: String
    let privateFile: TemporaryFile
    let publicFile: TemporaryFile

    init() throws {
        let key = P256.Signing.PrivateKey()
        publicPEM = key.publicKey.pemRepresentation
        // As openssl writes it: with the curve parameters first.
        let parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
        privateFile = try TemporaryFile(parameters + key.pemRepresentation)
        publicFile = try TemporaryFile(publicPEM)
    }
}
