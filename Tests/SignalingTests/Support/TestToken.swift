import TestServers
import Crypto
import Foundation
import SignalingServer

/// Tokens made without the package's code, so that a test can make any error in them.
enum TestToken {
    static let secret = "a secret of more than thirty-two bytes, for tests"

    static func keyFile(_ secret: String = secret) throws -> TemporaryFile { try TemporaryFile(secret + "\n") }

    /// A token with HS256, or with the algorithm in the header.
    static func make(
        header: String = #"{"alg":"HS256","typ":"JWT"}"#, _ claims: String, secret: String = secret
    ) -> String {
        let text = encode(Data(header.utf8)) + "." + encode(Data(claims.utf8))
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(text.utf8), using: SymmetricKey(data: Data(secret.utf8)))
        return text + "." + encode(Data(code))
    }

    /// A valid token for some seconds from now.
    static func good(_ user: String, seconds: Double = 3_600, extra: String = "") -> String {
        let now = Date().timeIntervalSince1970
        return make(#"{"sub":"\#(user)","iat":\#(Int(now)),"exp":\#(now + seconds)\#(extra)}"#)
    }

    /// A valid token of a user without an account.
    static func anonymous(_ user: String, mayCall: [String], seconds: Double = 300) -> String {
        let names = mayCall.map { "\"\($0)\"" }.joined(separator: ",")
        return good(user, seconds: seconds, extra: #","anonymous":true,"account":"shop","mayCall":[\#(names)]"#)
    }

    static func encode(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
