import CallProtocol
import Foundation
import TestServers
import Testing

@testable import SignalingServer

/// The check of tokens; the clock is fixed at 1,700,000,000 s.
struct TokenTests {
    private static let now = 1_700_000_000
    private static let good = #""sub":"alice","exp":1700000100"#
    private static let shop = good + #","iat":1700000000,"anonymous":true,"account":"shop","mayCall":["bob"]"#

    @Test(arguments: [
        good, good + #","nbf":1700000060,"iat":1700000060"#, good + #","device":"main","x":[{}]"#,
        #""sub":"alice","exp":1700000000.5"#, good + #","anonymous":false"#,
    ])
    func aGoodTokenIsTaken(claims: String) async throws {
        #expect(try await verdict(TestToken.make("{\(claims)}")) == nil)
    }

    @Test(arguments: [
        (#""sub":"alice","exp":1700000000"#, 410), (#""sub":"alice","exp":0"#, 410), (#""sub":"alice","exp":-1"#, 403),
        (#""sub":"alice","exp":1e300"#, 403), (#""sub":"alice","exp":99999999999"#, 403), (#""sub":"alice""#, 403),
        (#""exp":1700000100"#, 403), (#""sub":"alice","exp":"soon""#, 403), (#""sub":"bob","exp":1700000100"#, 403),
        (good + #","device":"tv""#, 403), (good + #","nbf":1700000061"#, 403), (good + #","iat":1700000061"#, 403),
        (good + #","nbf":"x""#, 403), (good + ":", 403), ("", 403),
        (good + #","x":"# + String(repeating: "[", count: 600), 403),
    ])
    func anyOtherIsRefused(claims: String, code: Int) async throws {
        #expect(try await verdict(TestToken.make("{\(claims)}")) == code)
    }

    @Test func aTokenThatIsNoneIsRefused() async throws {
        #expect(try await verdict(nil) == 401)
        #expect(try await verdict("") == 401)
        let token = TestToken.make("{\(Self.good)}")
        let parts = token.split(separator: ".")
        for wrong in [
            "x", "..", "a.b.c", token + ".", token + "A", "." + token, "\(parts[0]).\(parts[1]).", "ä.ä.ä",
            "\(parts[0]).\(parts[1])=.\(parts[2])", String(repeating: "a", count: 4_097), String(token.dropLast(4)),
            String(repeating: "W1tb", count: 300) + ".e30.AAAA",
        ] { #expect(try await verdict(wrong) == 403, "\(wrong)") }
    }

    @Test(arguments: [
        (nil, nil, "", nil), (nil, nil, #","aud":"calls""#, 403), (nil, nil, #","iss":"shop""#, nil),
        ("calls", nil, #","aud":"calls""#, nil), ("calls", nil, #","aud":["a","calls"]"#, nil), ("calls", nil, "", 403),
        ("calls", nil, #","aud":"Calls""#, 403), ("calls", nil, #","aud":["a"]"#, 403),
        ("calls", nil, #","aud":[]"#, 403),
        ("calls", nil, #","aud":5"#, 403), ("calls", nil, #","aud":[5]"#, 403),
        (nil, "shop", #","iss":"shop""#, nil), (nil, "shop", "", 403), (nil, "shop", #","iss":"Shop""#, 403),
        (nil, "shop", #","iss":["shop"]"#, 403), ("calls", "shop", #","aud":"calls","iss":"shop""#, nil),
        (nil, nil, #","jti":5"#, 403),
    ])
    func aTokenIsForItsAudienceAndOfItsIssuer(audience: String?, issuer: String?, claims: String, code: Int?)
        async throws
    {
        var verifier = try await verifier([TestToken.secret])
        (verifier.audience, verifier.issuer) = (audience, issuer)
        let verdict: Int?
        do throws(TokenVerifier.Refusal) {
            let party = Party(user: "alice", device: "main")
            _ = try verifier.grant(
                for: TestToken.make("{\(Self.good)\(claims)}"), to: party, unixMs: Self.now * 1_000)
            verdict = nil
        } catch {
            verdict = error.code
        }
        #expect(verdict == code)
    }

    @Test func aTokenHasOneSpellingOnly() async throws {
        let token = TestToken.make("{\(Self.good)}")
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        // With a signature of 32 bytes two bits of the last character are unused.
        let spellings = alphabet.map { token.dropLast() + String($0) }
        #expect(spellings.contains { $0 == token })
        for spelling in spellings where spelling != token { #expect(try await verdict(String(spelling)) == 403) }
    }

    @Test(arguments: [
        #"{"alg":"none"}"#, #"{"alg":"HS512"}"#, #"{"alg":"ES256"}"#, #"{"alg":"hs256"}"#, "{}", "[]", "x",
        #"{"alg":"HS256","crit":["exp"]}"#, #"{"alg":["HS256"]}"#,
    ])
    func aHeaderThatThisServerDoesNotTakeIsRefused(header: String) async throws {
        #expect(try await verdict(TestToken.make(header: header, "{\(Self.good)}")) == 403)
    }

    @Test func aSignatureOfAnotherKeyIsRefusedAndOfAnyOfSeveralTaken() async throws {
        let other = "another secret of more than thirty-two bytes"
        let token = TestToken.make("{\(Self.good)}", secret: other)
        #expect(try await verdict(token) == 403)
        #expect(try await verdict(token, secrets: [TestToken.secret, other]) == nil)
    }

    @Test func noTextTrapsTheVerifier() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let verifier = try await verifier([TestToken.secret])
        let samples = [TestToken.make("{\(Self.good)}"), TestToken.make("{\(Self.shop)}")]
        for _ in 0..<3_000 {
            let token = String(decoding: generator.mutated(samples), as: UTF8.self)
            let party = Party(user: "alice", device: "main")
            if let grant = try? verifier.grant(for: token, to: party, unixMs: Self.now * 1_000) {
                #expect(samples.contains(token) && grant.expiresUnixMs == 1_700_000_100_000, "seed \(seed)")
            }
        }
    }

    // MARK: Anonymous

    @Test func anAnonymousTokenSaysWhomItLetsCall() async throws {
        let verifier = try await verifier([TestToken.secret])
        let grant = try verifier.grant(
            for: TestToken.make("{\(Self.shop)}"), to: Party(user: "alice", device: "main"), unixMs: Self.now * 1_000)
        #expect(grant == .init(expiresUnixMs: 1_700_000_100_000, mayCall: ["bob"]))
    }

    @Test(arguments: [
        shop.replacing("1700000000", with: "1699999499"), shop.replacing(#","iat":1700000000"#, with: ""),
        shop.replacing("shop", with: "a b"), shop.replacing(#","account":"shop""#, with: ""),
        shop.replacing(#"["bob"]"#, with: "[]"), shop.replacing(#"["bob"]"#, with: #"["b b"]"#),
        shop.replacing(#"["bob"]"#, with: #""bob""#),
        shop.replacing(#"["bob"]"#, with: "[" + (0...16).map { "\"b\($0)\"" }.joined(separator: ",") + "]"),
    ])
    func anAnonymousTokenOutOfBoundsIsRefused(claims: String) async throws {
        #expect(try await verdict(TestToken.make("{\(claims)}")) == 403)
    }

    // MARK: Making tokens

    @Test(arguments: [nil, "tv"])
    func whatThePackageSignsItTakes(device: String?) async throws {
        let file = try TestToken.keyFile()
        let key = try await TokenKey.read(file: file.path)
        var token = AccessToken(user: "alice", device: device, lifetime: .seconds(60))
        token.anonymous = .init(account: "shop", mayCall: ["bob", "carol"])
        (token.audience, token.issuer) = ("https://calls.example.org/", "shop")
        let grant = try TokenVerifier(keys: [key], audience: "https://calls.example.org/", issuer: "shop").grant(
            for: try token.signed(with: key), to: Party(user: "alice", device: "tv"),
            unixMs: token.issuedUnixSeconds * 1_000)
        #expect(grant.mayCall == ["bob", "carol"])
        #expect(grant.tokenID == token.identifier)
        #expect(token.identifier != AccessToken(user: "alice", lifetime: .seconds(60)).identifier)
        #expect(grant.expiresUnixMs == (token.issuedUnixSeconds + 60) * 1_000)
    }

    @Test func aPublicKeyVerifiesWhatThePrivateKeySigned() async throws {
        let pair = try TestKeys()
        let (secret, open) = (
            try await TokenKey.read(file: pair.privateFile.path), try await TokenKey.read(file: pair.publicFile.path)
        )
        #expect(secret.canSign && !open.canSign)
        let token = AccessToken(user: "alice", lifetime: .seconds(60))
        let text = try token.signed(with: secret)
        let now = token.issuedUnixSeconds * 1_000
        let party = Party(user: "alice", device: "main")
        #expect(throws: Never.self) { try TokenVerifier(keys: [open]).grant(for: text, to: party, unixMs: now) }
        #expect(throws: TokenVerifier.Refusal.self) {
            try TokenVerifier(keys: [open]).grant(for: String(text.dropLast(2)) + "AA", to: party, unixMs: now)
        }
        // The public key is not a secret, so it must not work as a key of HS256.
        let forged = TestToken.make("{\(Self.good)}", secret: pair.publicPEM)
        #expect(throws: TokenVerifier.Refusal.self) {
            try TokenVerifier(keys: [open]).grant(for: forged, to: party, unixMs: Self.now * 1_000)
        }
        #expect(throws: TokenError.cannotSign) { try token.signed(with: open) }
    }

    @Test func aTokenThatNoServerWouldTakeIsNotMade() async throws {
        let file = try TestToken.keyFile()
        let key = try await TokenKey.read(file: file.path)
        let shop = AccessToken.Anonymous(account: "shop", mayCall: ["bob"])
        for token in [
            AccessToken(user: "a b", lifetime: .seconds(1)), AccessToken(user: "a", lifetime: .zero),
            AccessToken(user: "a", device: "", lifetime: .seconds(1)),
            AccessToken(user: "a", lifetime: .seconds(Int64.max)), AccessToken(user: "a", lifetime: .seconds(-5)),
            AccessToken(user: "a", lifetime: .seconds(601), anonymous: shop),
            AccessToken(user: "a", lifetime: .seconds(1), anonymous: .init(account: "", mayCall: ["bob"])),
            AccessToken(user: "a", lifetime: .seconds(1), anonymous: .init(account: "shop", mayCall: [])),
            Self.token(audience: ""), Self.token(issuer: "a b"), Self.token(identifier: ""),
            Self.token(identifier: String(repeating: "x", count: 257)),
        ] { #expect(throws: TokenError.self) { try token.signed(with: key) } }
    }

    @Test(arguments: [
        ("short", "fewer than 32"), ("", "0 bytes"),
        ("-----BEGIN PUBLIC KEY-----\nx\n-----END PUBLIC KEY-----", "no P-256 key"),
        ("-----BEGIN ", "no P-256 key"), (String(repeating: "a", count: 65_537), "longer than"),
    ])
    func aFileWithoutAKeyIsToldInWords(contents: String, words: String) async throws {
        let file = try TemporaryFile(contents)
        await #expect {
            try await TokenKey.read(file: file.path)
        } throws: { error in "\(error)".contains(words) && "\(error)".contains(file.path) }
    }

    @Test func aMissingFileIsToldInWords() async throws {
        await #expect(throws: TokenError.self) { try await TokenKey.read(file: "/nonexistent/key") }
    }

    // MARK: Helpers

    private static func token(audience: String? = nil, issuer: String? = nil, identifier: String = "x") -> AccessToken {
        var token = AccessToken(user: "a", lifetime: .seconds(1))
        (token.audience, token.issuer, token.identifier) = (audience, issuer, identifier)
        return token
    }

    private func verifier(_ secrets: [String]) async throws -> TokenVerifier {
        var keys: [TokenKey] = []
        for secret in secrets {
            let file = try TestToken.keyFile(secret)
            keys.append(try await TokenKey.read(file: file.path))
        }
        return TokenVerifier(keys: keys)
    }

    /// The code of the refusal; nil if the token is valid.
    private func verdict(_ token: String?, secrets: [String] = [TestToken.secret]) async throws -> Int? {
        let verifier = try await verifier(secrets)
        do throws(TokenVerifier.Refusal) {
            _ = try verifier.grant(for: token, to: Party(user: "alice", device: "main"), unixMs: Self.now * 1_000)
            return nil
        } catch {
            return error.code
        }
    }
}
