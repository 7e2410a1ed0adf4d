internal import FoundationEssentials
internal import JWTKit

/// A key for ``AccessToken``s: a shared secret (HS256), or a public or private elliptic-curve key (ES256).
public struct TokenKey: Sendable {
    /// The least length of a shared secret, in bytes (RFC 7518 section 3.2).
    public static let shortestSecretBytes = 32
    /// The longest key file, in bytes.
    public static let longestFileBytes = 65_536

    let algorithm: any JWTAlgorithm
    /// Whether the key can sign; a public key can only verify.
    public let canSign: Bool

    /// Reads a key file.
    ///
    /// A file with `-----BEGIN` in it is an ES256 key in PEM, public or private. Anything else is a secret, used byte for
    /// byte except for line ends at its end, which editors add.
    ///
    /// - Throws: ``TokenError/unusableKey(file:text:)``.
    public static func read(file: String) async throws(TokenError) -> TokenKey {
        let bytes: [UInt8]
        do {
            bytes = try Array(Data(contentsOf: URL(filePath: file)))
        } catch {
            throw .unusableKey(file: file, text: "it cannot be read; does it exist, and may this user read it?")
        }
        guard bytes.count <= longestFileBytes else {
            throw .unusableKey(file: file, text: "it is longer than \(longestFileBytes) bytes, which no key is")
        }
        do throws(Unusable) {
            return try await TokenKey(contents: bytes)
        } catch {
            throw .unusableKey(file: file, text: error.text)
        }
    }

    private struct Unusable: Error {
        var text: String
    }

    private init(contents: [UInt8]) async throws(Unusable) {
        let keys = JWTKeyCollection()
        let text = String(decoding: contents, as: UTF8.self)
        do {
            // The last block: openssl writes the curve parameters into a separate block before the key.
            if let start = text.ranges(of: "-----BEGIN ").last?.lowerBound {
                let pem = String(text[start...])
                canSign = pem.contains("PRIVATE KEY-----")
                if canSign {
                    await keys.add(ecdsa: try ES256PrivateKey(pem: pem))
                } else {
                    await keys.add(ecdsa: try ES256PublicKey(pem: pem))
                }
            } else {
                let end = contents.lastIndex { $0 != 0x0A && $0 != 0x0D }.map { $0 + 1 } ?? 0
                guard end >= Self.shortestSecretBytes else {
                    throw Unusable(
                        text: "its secret has \(end) bytes, fewer than \(Self.shortestSecretBytes); make one with: "
                            + "openssl rand -base64 48")
                }
                canSign = true
                await keys.add(hmac: HMACKey(from: contents[..<end]), digestAlgorithm: .sha256)
            }
            algorithm = try await keys.getKey()
        } catch let error as Unusable {
            throw error
        } catch {
            throw Unusable(
                text: "it holds no P-256 key in PEM; make one with: openssl ecparam -name prime256v1 -genkey")
        }
    }
}
