import CallAgent
import Testing

@testable import SignalingServer

/// The smaller rules of the server.
struct ServerRulesTests {
    // MARK: Rates

    @Test func aBucketGivesItsBurstAndThenItsRate() {
        var bucket = TokenBucket(perSecond: 10, capacity: 3, uptimeMs: 1_000)
        let first = (0..<4).map { _ in bucket.take(at: 1_000) }
        #expect(first == [true, true, true, false])
        #expect(bucket.take(at: 1_099) == false)
        #expect(bucket.take(at: 1_100) == true)
        #expect(bucket.take(at: 1_100) == false)
        // Never more than the burst, after any time; a clock that goes back does no harm.
        let later = (0..<4).map { _ in bucket.take(at: .max / 2) }
        #expect(later == [true, true, true, false])
        #expect(bucket.take(at: 0) == false)
    }

    @Test func theSenderIsToldOnceASecond() {
        var rate = MessageRate(perSecond: 1, burst: 1, uptimeMs: 0)
        #expect(rate.message(at: 0) == .pass)
        #expect(rate.message(at: 1) == .drop(isReported: true))
        #expect(rate.message(at: 999) == .drop(isReported: false))
        #expect(rate.message(at: 1_001) == .pass)
        #expect(rate.message(at: 1_002) == .drop(isReported: true))
        let frames = (0..<11).map { _ in rate.frame(at: 0) }
        #expect(frames == Array(repeating: true, count: 10) + [false])
    }

    @Test func whoIsTooFastIsToldAndWhoFloodsIsClosed() {
        var board = BoardUnderTest {
            $0.messagesPerSecond = 1
            $0.messageBurst = 2
        }
        let alice = board.signedIn("alice")
        #expect(board.board.tooFast(alice, at: board.now) == nil)
        #expect(board.board.tooFast(alice, at: board.now) == nil)
        #expect(BoardUnderTest.fault(board.board.tooFast(alice, at: board.now) ?? [])?.code == 429)
        #expect(board.board.tooFast(alice, at: board.now) == [])
        let frames = (0..<21).map { _ in board.board.receivedFrame(on: alice, at: board.now) }
        #expect(frames.dropLast().allSatisfy { $0.isEmpty })
        #expect(frames.last == [.throwOut(alice, text: "more than ten times the allowed rate of messages")])
        // Before the sign-in no message is sent.
        let stranger = board.opened()
        let verdicts = (0..<3).map { _ in board.board.tooFast(stranger, at: board.now) }
        #expect(verdicts == [nil, nil, []])
    }

    // MARK: Sockets

    @Test func eachBoundOfTheCensusHoldsAndIsGivenBack() throws {
        let (one, other) = (try #require(IPAddress("192.0.2.1")), try #require(IPAddress("192.0.2.2")))
        var census = ConnectionCensus<Int>(bounds: .init(total: 4, unauthenticated: 2, perAddress: 2))
        #expect(census.admit(1, from: one) == nil)
        #expect(census.admit(2, from: one) == nil)
        #expect(census.admit(3, from: other) == .unauthenticated)
        census.signedIn(1)
        census.signedIn(1)
        #expect(census.admit(3, from: one) == .address)
        #expect(census.admit(3, from: nil) == nil)
        census.signedIn(2)
        census.signedIn(3)
        #expect(census.admit(4, from: nil) == nil)
        #expect(census.admit(5, from: nil) == .total)
        census.left(1)
        census.left(1)
        census.left(99)
        #expect(census.admit(5, from: one) == nil)
        #expect(census.count == 4)
        for socket in 2...5 { census.left(socket) }
        #expect(census.count == 0)
        #expect(census.admit(6, from: one) == nil && census.admit(7, from: one) == nil)
    }

    @Test func aSocketWhoseAddressComesLaterCountsFromThenOn() throws {
        let address = try #require(IPAddress("192.0.2.1"))
        var census = ConnectionCensus<Int>(bounds: .init(total: 9, unauthenticated: 9, perAddress: 2))
        for socket in 1...3 { #expect(census.admit(socket, from: nil) == nil) }
        let claims = [1, 1, 2, 3].map { census.claim($0, for: address) }
        #expect(claims == [true, true, true, false])
        #expect(census.admit(4, from: address) == .address)
        for socket in [3, 1, 1] { census.left(socket) }
        #expect(census.admit(4, from: address) == nil)
        #expect(census.admit(5, from: address) == .address)
    }

    // MARK: TURN

    @Test func theCredentialsAreThoseThatATURNServerExpects() {
        let offer = IceServerOffer(
            stunURLs: ["stun:s"], turnURLs: ["turn:t", "turns:t"], secret: Array("a shared secret".utf8),
            lifetimeMs: 3_600_000)
        // The credential was made with: openssl dgst -sha1 -hmac "a shared secret" -binary | base64
        #expect(
            offer.servers(for: "alice", unixMs: 1_700_000_000_000) == [
                .init(urls: ["stun:s"]),
                .init(
                    urls: ["turn:t", "turns:t"], username: "1700003600:alice",
                    credential: "bQxRbRRjnsJzDWZNMguu7QGSGG4="),
            ])
    }

    @Test func iceServersComeWithTheSignInAndAgainInTime() {
        let offer = IceServerOffer(stunURLs: ["stun:s"], turnURLs: [], secret: [], lifetimeMs: 4_000)
        var board = BoardUnderTest { $0.iceServers = offer }
        let alice = board.opened()
        let servers = ServerMessage.IceServers(servers: [.init(urls: ["stun:s"])], validForMs: 4_000)
        let schedule = SwitchboardAction.schedule(.iceServers, for: alice, afterMs: 3_000)
        let actions = board.received(BoardUnderTest.signIn("alice"), on: alice)
        guard case .send(.signedIn(_, _, _, _, let given), to: alice) = actions.first else {
            Issue.record("no sign-in: \(actions)")
            return
        }
        #expect(given == servers && Array(actions.dropFirst()) == [schedule])
        #expect(
            board.board.timerFired(.iceServers, on: alice, at: board.now) == [
                .send(.iceServers(servers), to: alice), schedule,
            ])
        #expect(
            ServerMessage.iceServers(
                .init(servers: [.init(urls: ["a", "b"], username: "u", credential: "c")], validForMs: 5)
            ).json
                == #"{"v":1,"type":"iceServers","servers":[{"urls":["a","b"],"username":"u","credential":"c"}],"validForMs":5}"#
        )
    }

    // MARK: Presence

    @Test func whoWatchesIsToldAtOnceAndOfEveryChange() {
        var board = BoardUnderTest { $0.watchedUsers = 2 }
        let alice = board.signedIn("alice")
        func watch(_ users: Envelope.Users?) -> [SwitchboardAction] {
            board.received(Envelope(version: 1, type: "watch", users: users), on: alice)
        }
        func presence(_ user: String, _ devices: [String]) -> SwitchboardAction {
            .send(.presence(user: user, devices: devices), to: alice)
        }
        #expect(
            watch(.named(["bob", "alice"])) == [
                .send(.watching, to: alice), presence("alice", ["main"]), presence("bob", []),
            ])
        let phone = board.opened()
        #expect(
            board.received(BoardUnderTest.signIn("bob", device: "phone"), on: phone).last == presence("bob", ["phone"]))
        let tv = board.opened()
        #expect(
            board.received(BoardUnderTest.signIn("bob", device: "tv"), on: tv).last == presence("bob", ["phone", "tv"]))
        #expect(board.closed(phone) == [presence("bob", ["tv"])])
        _ = board.signedIn("carol")
        for wrong in [nil, Envelope.Users.named(["a", "b", "c"]), .named(["a b"])] {
            guard case .send(.watchRefused(400, _), alice) = watch(wrong).first else {
                Issue.record("refusal expected")
                continue
            }
        }
        // A refused watch changes nothing.
        #expect(board.closed(tv) == [presence("bob", [])])
        #expect(
            watch(.everybody) == [
                .send(.watching, to: alice), presence("alice", ["main"]), presence("carol", ["main"]),
            ])
        let bob = board.opened()
        #expect(board.received(BoardUnderTest.signIn("bob"), on: bob).last == presence("bob", ["main"]))
        #expect(watch(.named([])) == [.send(.watching, to: alice)])
        #expect(board.closed(bob).isEmpty)
    }

    @Test func aDirectoryIsAChoice() {
        var board = BoardUnderTest { $0.hasDirectory = false }
        let alice = board.signedIn("alice")
        let text = "this server has no directory; name the users"
        #expect(
            board.received(Envelope(version: 1, type: "watch", users: .everybody), on: alice)
                == [.send(.watchRefused(code: 403, text: text), to: alice)])
    }

    // MARK: Metrics

    @Test("Every message type that a client may send has its own counter")
    func types() throws {
        var metrics = ServerMetrics()
        let types = Set(
            try MessageSamples.messages.compactMap { Envelope(decoding: try $0.encoded().utf8)?.type }
        ).subtracting(["gone"])
        #expect(types.count == 21)
        for type in types { metrics.routed(type: type, seconds: 0) }
        let samples = try PrometheusSamples(metrics.text(.init()))
        for type in types { #expect(samples[#"callagent_signaling_messages_routed_total{type="\#(type)"}"#] == 1) }
        #expect(samples[#"callagent_signaling_messages_routed_total{type="other"}"#] == nil)
    }

    @Test func theMetricsAreTextThatPrometheusReads() throws {
        var metrics = ServerMetrics()
        metrics.accepted()
        metrics.refusedConnection("total")
        metrics.routed(type: "invite", seconds: 0.000_03)
        metrics.routed(type: "\"\n", seconds: 5)
        metrics.routed(type: nil, seconds: 0.2)
        metrics.said(.refused(code: 403, text: ""))
        metrics.said(.error(.init(code: 480, text: ""), id: "", to: "", unixMs: 0))
        metrics.sent(bytes: 10, pending: 7)
        let samples = try PrometheusSamples(metrics.text(.init(connections: 1, users: 2, devices: 3, calls: 4)))
        #expect(samples["callagent_signaling_connections"] == 1)
        #expect(samples["callagent_signaling_signed_in_devices"] == 3)
        #expect(samples["callagent_signaling_calls"] == 4)
        #expect(samples[#"callagent_signaling_messages_routed_total{type="invite"}"#] == 1)
        #expect(samples[#"callagent_signaling_messages_routed_total{type="other"}"#] == 2)
        #expect(samples[#"callagent_signaling_errors_total{code="480"}"#] == 1)
        #expect(samples[#"callagent_signaling_sign_ins_refused_total{code="403"}"#] == 1)
        #expect(samples[#"callagent_signaling_routing_seconds_bucket{le="5e-05"}"#] == 1)
        #expect(samples[#"callagent_signaling_routing_seconds_bucket{le="+Inf"}"#] == 3)
        #expect(samples["callagent_signaling_routing_seconds_count"] == 3)
        #expect(samples["callagent_signaling_pending_bytes_max"] == 7)
    }
}
