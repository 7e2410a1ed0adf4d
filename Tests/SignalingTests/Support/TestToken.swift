import TestServers
import Crypto
import Foundation
import SignalingServer

/// Tokens written by hand, so that they can be wrong in every way; shares no code with the package.
enum TestToken {
    static let secret = "a secret of more than thirty-two bytes, for tests"

    static func keyFile(_ secret: String = secret) throws -> TemporaryFile { try TemporaryFile(secret + "\n") }

    /// A token of HS256, or of whatever the header says.
    static func make(
        header: String = #"{"alg":"HS256","typ":"JWT"}"#, _ claims: String, secret: String = secret
    ) -> String {
        let text = encode(Data(header.utf8)) + "." + encode(Data(claims.utf8))
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(text.utf8), using: SymmetricKey(data: Data(secret.utf8)))
        return text + "." + encode(Data(code))
    }

    /// A good token for a time from now on.
    static func good(_ user: String, seconds: Double = 3_600, extra: String = "") -> String {
        let now = Date().timeIntervalSince1970
        return make(#"{"sub":"\#(user)","iat":\#(Int(now)),"exp":\#(now + seconds)\#(extra)}"#)
    }

    /// A good token of somebody without an account.
    static func anonymous(_ user: String, mayCall: [String], seconds: Double = 300) -> String {
        let names = mayCall.map { "\"\($0)\"" }.joined(separator: ",")
        return good(user, seconds: seconds, extra: #","anonymous":true,"account":"shop","mayCall":[\#(names)]"#)
    }

    static func encode(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
