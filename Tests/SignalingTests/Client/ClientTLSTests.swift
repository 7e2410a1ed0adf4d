import CallAgent
import SignalingServer
import TestServers
import Testing
import WebSocketSignaling

@Suite(.timeLimit(.minutes(2)))
struct ClientTLSTests {
    @Test(arguments: ["127.0.0.1", "localhost"])
    func twoClientsTalkOverTLS(host: String) async throws {
        let certificate = try TestCertificate()
        try await withTLSServer(certificate) { server in
            func client(_ user: String) async throws -> ClientUnderTest {
                let client = ClientUnderTest(port: server.port, scheme: "wss", host: host) {
                    $0.trustRootsFile = certificate.certificate.path
                }
                try await client.transport.connect(as: user)
                return client
            }
            let (alice, bob) = (try await client("alice"), try await client("bob"))
            let filler = String(repeating: "x", count: 60_000)
            let text = callMessage(from: "alice", to: "bob", extra: #","x":"\#(filler)""#)
            for _ in 0..<20 { try await alice.transport.send(text, to: "bob") }
            for _ in 0..<20 { try #require(try await bob.message() == text) }
            await alice.transport.close()
            await bob.transport.close()
        }
    }

    @Test func aCertificateThatNobodyVouchesForIsRefused() async throws {
        let certificate = try TestCertificate()
        try await withTLSServer(certificate) { server in
            await expect("its certificate is not trusted", server.port, roots: nil)
            let other = try TestCertificate()
            await expect("its certificate is not trusted", server.port, roots: other.certificate.path)
        }
    }

    @Test func anExpiredCertificateIsRefused() async throws {
        let certificate = try TestCertificate(expired: true)
        try await withTLSServer(certificate) { server in
            await expect("its certificate is not trusted", server.port, roots: certificate.certificate.path)
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func aCertificateForAnotherHostIsRefused(host: String) async throws {
        let certificate = try TestCertificate(host: "example.org", address: [192, 0, 2, 1])
        try await withTLSServer(certificate) { server in
            await expect(
                "its certificate is for another host", server.port, host: host, roots: certificate.certificate.path)
        }
    }

    @Test func aServerWithoutTLSIsToldInWords() async throws {
        try await withServer { server in await expect("the server does not speak TLS", server.port, roots: nil) }
    }

    @Test func aFileWithoutRootsIsToldInWords() async throws {
        let file = try TemporaryFile("nothing")
        await expect("holds no certificates in PEM", 1, roots: file.path)
        await expect("holds no certificates in PEM", 1, roots: "/nonexistent")
    }

    @Test func aServerWhoseFilesAreWrongDoesNotStart() async throws {
        let (one, other) = (try TestCertificate(), try TestCertificate())
        let nothing = try TemporaryFile("nothing")
        for (chain, key, words) in [
            (nothing.path, one.key.path, "holds no certificate chain in PEM"),
            ("/nonexistent", one.key.path, "it cannot be read; does it exist"),
            (one.certificate.path, nothing.path, "holds no private key in PEM"),
            (one.certificate.path, other.key.path, "is not the key of the certificate"),
        ] {
            var configuration = ServerConfiguration(port: 0)
            configuration.tls = .init(certificateChainFile: chain, privateKeyFile: key)
            await #expect {
                try await Server.start(configuration: configuration, logger: quietLogger)
            } throws: { error in "\(error)".contains(words) }
        }
    }

    private func withTLSServer(
        _ certificate: TestCertificate, _ body: (Server) async throws -> Void
    ) async throws {
        try await withServer {
            $0.tls = .init(
                certificateChainFile: certificate.certificate.path, privateKeyFile: certificate.key.path)
        } _: {
            try await body($0)
        }
    }

    private func expect(
        _ words: String, _ port: Int, host: String = "127.0.0.1", roots: String?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let client = ClientUnderTest(port: port, scheme: "wss", host: host) {
            $0.trustRootsFile = roots
            $0.connectTimeout = .seconds(10)
        }
        await #expect(sourceLocation: sourceLocation) {
            try await client.transport.connect(as: "alice")
        } throws: { error in
            guard case .unreachable(_, let text) = error as? SignalingError else { return false }
            return text.contains(words)
        }
    }
}
