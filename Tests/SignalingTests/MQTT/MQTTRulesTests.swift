import Testing

@testable import CallAgent
@testable import CallProtocol
@testable import MQTTSignaling

/// What the MQTT transport decides without a broker.
struct MQTTRulesTests {
    private let bob = Device(user: "bob", device: "tv")
    private let alice = Device(user: "alice", device: "phone")

    // MARK: URL and topics

    @Test(arguments: [
        ("mqtt://h", "h", 1_883, nil, "callagent"), ("MQTTS://h/", "h", 8_883, nil, "callagent"),
        ("mqtt://svc@[::1]:9/a/b/", "::1", 9, "svc", "a/b"), ("mqtt://a.b@h/x", "h", 1_883, "a.b", "x"),
    ])
    func aURLNamesTheBrokerAndThePrefix(
        text: String, host: String, port: Int, user: String?, prefix: String
    ) throws {
        let address = try MQTTAddress(text)
        let url = try #require(address.nodes.first)
        #expect(address.nodes.count == 1 && url.text == text)
        #expect(url.host == host && url.port == port && url.user == user)
        #expect(address.topics.prefix == prefix)
        #expect(url.isSecure == text.lowercased().hasPrefix("mqtts"))
    }

    @Test func aURLMayNameSeveralNodes() throws {
        let address = try MQTTAddress("mqtts://u@a:1,[::1],c/x/y")
        #expect(address.nodes.map(\.text) == ["mqtts://u@a:1/x/y", "mqtts://u@[::1]/x/y", "mqtts://u@c/x/y"])
        #expect(address.nodes.map(\.port) == [1, 8_883, 8_883])
        #expect(address.text == "mqtts://u@a:1,[::1],c/x/y" && address.topics.prefix == "x/y")
        #expect(throws: SignalingError.self) {
            try MQTTAddress("mqtt://" + Array(repeating: "h", count: 17).joined(separator: ","))
        }
    }

    @Test func aNodeThatFailedIsTheLastChoiceUntilOneSignInTriesItAgain() {
        var failures = NodeFailures()
        let (nodes, memory) = ([0, 1, 2], NodeFailures.memoryMs)
        #expect(failures.order(nodes, at: 0) == nodes)
        failures.failed(0, at: 0)
        #expect(failures.order(nodes, at: 1) == [1, 2, 0] && failures.order([0], at: 1) == [0])
        failures.failed(2, at: 1)
        failures.failed(1, at: 2)
        #expect(failures.order(nodes, at: 3) == [0, 2, 1])
        failures.worked(1)
        #expect(failures.order(nodes, at: memory - 1) == [1, 0, 2])
        // The time of 0 is over: one sign-in tries it, the next one does not.
        failures.failed(2, at: memory - 1)
        #expect(failures.order(nodes, at: memory) == [0, 1, 2])
        #expect(failures.order(nodes, at: memory) == [1, 2, 0])
    }

    @Test(arguments: [
        "ws://h", "mqtt://a,", "mqtt://,a", "mqtt://a,b:0", "mqtt:/h", "mqtt://", "mqtt://h:0", "mqtt://u:p@h",
        "mqtt://@h", "mqtt://h/a//b", "mqtt://h/+",
        "mqtt://h/a+b", "mqtt://h/a?b", "mqtt://h/#", "mqtt://h/" + String(repeating: "a/", count: 200),
    ])
    func aWrongURLIsRefusedWithAReason(text: String) {
        #expect {
            try MQTTAddress(text)
        } throws: { error in
            guard case .invalidURL(text, let reason)? = error as? SignalingError else { return false }
            return !reason.isEmpty
        }
    }

    @Test(arguments: ["bob", "a+b", "+", "from", "to", "presence", "a@b.c:d-e_f", "++"])
    func everyNameFitsIntoATopic(name: String) {
        let topics = Topics(prefix: "x/y")
        let device = Device(user: name, device: name)
        #expect(topics.meaning(of: topics.presence(of: device)) == .presence(device))
        for receiver in [nil, name] {
            let topic = topics.message(from: device, to: name, device: receiver)
            #expect(!topic.contains("+") && !topic.contains("#"))
            let inbox = receiver.map { Topics.Inbox.device($0) } ?? .allDevices
            #expect(topics.meaning(of: topic) == .message(from: device, to: name, via: inbox))
        }
        let invite = topics.invite(from: device, to: name)
        #expect(topics.meaning(of: invite) == .message(from: device, to: name, via: .invites))
    }

    @Test(arguments: [
        "", "callagent", "callagent/", "callagent/to/bob", "callagent/to/bob/from/alice", "callagent/presence/bob",
        "callagent/to/bob/from/alice/tv/x", "callagent/to/bob/tv/x/alice/tv", "callagent/presence//tv",
        "callagent/presence/a%2Cb/tv", "callagent/presence/a%/tv", "other/presence/bob/tv", "callagent/to//from/a/b",
        "callagent/x/bob/from/alice/tv", "callagent/invite/bob/tv/from/alice/tv",
        "callagent/presence/bob/" + String(repeating: "x", count: 65),
    ])
    func aTopicOfAnotherShapeMeansNothing(topic: String) {
        #expect(Topics(prefix: "callagent").meaning(of: topic) == nil)
    }

    // MARK: Notes

    @Test(arguments: [
        "", "x", "[]", "{}", String(repeating: "[", count: 513),
        #"{"session":"s","number":1,"sinceUnixMs":1,"sentUnixMs":1}"#,
        #"{"session":"s","number":1,"sinceUnixMs":1,"sentUnixMs":1,"validForMs":0}"#,
        #"{"session":"s","number":1,"sinceUnixMs":1,"sentUnixMs":1,"validForMs":3600001}"#,
        #"{"session":"s","number":1,"sinceUnixMs":1e16,"sentUnixMs":1,"validForMs":1}"#,
        #"{"session":"s","number":1,"sinceUnixMs":1,"sentUnixMs":1,"validForMs":1,"x":""#
            + String(repeating: "x", count: 1_024)
            + #""}"#,
    ])
    func aNoteThatIsNoneIsIgnored(text: String) { #expect(PresenceNote(decoding: text) == nil) }

    @Test func aNoteIsReadAsItWasWritten() {
        let note = PresenceNote(session: "s", number: 1, sinceUnixMs: 1.5, sentUnixMs: 2, validForMs: 3_000)
        #expect(PresenceNote(decoding: note.text) == note)
    }

    @Test func theLastOfTwoProgramsStaysSignedIn() {
        func note(_ claim: DeviceClaim) -> PresenceNote {
            PresenceNote(
                session: claim.session, number: 1, sinceUnixMs: claim.sinceUnixMs, sentUnixMs: 0, validForMs: 1_000)
        }
        for skew in [-100_000.0, 0, 100_000] {
            var first = DeviceClaim(session: "z", sinceUnixMs: 1_000)
            #expect(first.take(note(first)) == .nothing && first.isConfirmed)
            // The second one finds the note of the first one, and comes after it whatever its clock says.
            var second = DeviceClaim(session: "a", sinceUnixMs: 1_000 + skew)
            let isLate = skew > 0
            #expect(second.take(note(first)) == (isLate ? .nothing : .publish))
            #expect(second.take(note(second)) == .nothing && second.isConfirmed)
            #expect(first.take(note(second)) == .giveUp)
            // A note of the first one that was under way does not end the second one.
            #expect(second.take(note(first)) == .publish)
        }
    }

    @Test func theLastOfTwoSignInsOfOneProgramStaysSignedIn() {
        func note(_ claim: DeviceClaim, _ number: Int = 1) -> PresenceNote {
            PresenceNote(
                session: "s", number: number, sinceUnixMs: claim.sinceUnixMs, sentUnixMs: 0, validForMs: 1_000)
        }
        for skew in [-100_000.0, 1, 100_000] {
            var first = DeviceClaim(session: "s", sinceUnixMs: 1_000)
            #expect(first.take(note(first)) == .nothing && first.isConfirmed)
            var second = DeviceClaim(session: "s", sinceUnixMs: 1_000 + skew)
            #expect(second.take(note(first, 9)) == (skew > 0 ? .nothing : .publish))
            #expect(!second.isConfirmed && !second.isOwn(note(first, 9)))
            #expect(second.take(note(second)) == .nothing && second.isConfirmed)
            #expect(first.take(note(second)) == .giveUp)
            #expect(second.take(note(first)) == .publish)
        }
    }

    @Test func theLastWillOfAFormerConnectionIsUndone() {
        var claim = DeviceClaim(session: "s", sinceUnixMs: 1)
        #expect(claim.take(nil) == .nothing)
        _ = claim.take(PresenceNote(session: "s", number: 1, sinceUnixMs: 1, sentUnixMs: 0, validForMs: 1))
        #expect(claim.take(nil) == .publish)
    }

    // MARK: Presence

    private func note(validForMs: Int = 60_000, sentUnixMs: Double = 1_000_000) -> PresenceNote {
        PresenceNote(session: "s", number: 1, sinceUnixMs: 0, sentUnixMs: sentUnixMs, validForMs: validForMs)
    }

    private func presence(_ user: String, _ devices: String...) -> WatchedPresence.Report {
        .presence(Presence(user: user, devices: devices))
    }

    @Test func theApplicationSeesWhoComesAndGoes() {
        var watched = WatchedPresence()
        watched.whom = .named(["bob"])
        let topics = Topics(prefix: "p")
        #expect(watched.changeFilters(topics) == (["p/presence/bob/+"], []))
        let phone = Device(user: "bob", device: "phone")
        func take(_ note: PresenceNote?, _ device: Device, isRetained: Bool = false) -> [WatchedPresence.Report] {
            watched.take(note, of: device, isRetained: isRetained, at: 0, unixMs: 1_000_000)
        }
        #expect(take(note(), bob, isRetained: true).isEmpty)
        #expect(watched.reportAll() == [presence("bob", "tv")])
        #expect(take(note(), bob).isEmpty)
        #expect(take(note(), phone, isRetained: true) == [presence("bob", "phone", "tv")])
        #expect(take(nil, bob) == [presence("bob", "phone")])
        #expect(take(note(), alice).isEmpty)
        #expect(watched.reportAll() == [presence("bob", "phone")])
        watched.whom = nil
        #expect(watched.changeFilters(topics) == ([], ["p/presence/bob/+"]))
        #expect(watched.reportAll().isEmpty)
    }

    @Test func aNoteThatNobodyRenewsEnds() {
        var watched = WatchedPresence()
        watched.whom = .everybody
        #expect(watched.reportAll().isEmpty)
        _ = watched.take(note(), of: bob, isRetained: false, at: 0, unixMs: 0)
        #expect(watched.expire(at: 59_999).isEmpty)
        #expect(watched.expire(at: 60_000) == [presence("bob")])
        // The broker may keep a note for ever: one that is too old is none. The clocks may differ by ten seconds.
        for (age, isPresent) in [(69_000.0, true), (71_000, false)] {
            let reports = watched.take(note(), of: alice, isRetained: true, at: 0, unixMs: 1_000_000 + age)
            #expect(reports == (isPresent ? [presence("alice", "phone")] : [presence("alice")]))
        }
        // Whatever the clocks say, a note that arrives now was sent now.
        #expect(!watched.take(note(), of: bob, isRetained: false, at: 0, unixMs: 1e15).isEmpty)
    }

    @Test func whoDoesNotComeBackAfterAnOutageIsGone() {
        var watched = WatchedPresence()
        watched.sent(sent(.state(MediaState())))
        watched.received(message(.ringing), from: bob, as: "main")
        func take(isRetained: Bool, at now: Int) -> [WatchedPresence.Report] {
            watched.take(note(), of: bob, isRetained: isRetained, at: now, unixMs: 0)
        }
        #expect(take(isRetained: true, at: 0).isEmpty)
        // It comes back within the grace.
        watched.begin(at: 1_000)
        #expect(watched.expire(at: 10_999).isEmpty)
        #expect(take(isRetained: false, at: 10_999).isEmpty)
        #expect(watched.expire(at: 11_000).isEmpty)
        // It does not.
        watched.begin(at: 20_000)
        #expect(watched.expire(at: 30_000) == [.gone(callId: "c1", bob, session: "s")])
        #expect(watched.expire(at: 30_000).isEmpty)
        // Another program comes in its place: the call was with the former one.
        #expect(take(isRetained: false, at: 31_000).isEmpty)
        let other = PresenceNote(session: "t", number: 1, sinceUnixMs: 0, sentUnixMs: 0, validForMs: 60_000)
        #expect(
            watched.take(other, of: bob, isRetained: false, at: 32_000, unixMs: 0)
                == [.gone(callId: "c1", bob, session: "s")])
    }

    /// A cluster may show a device at another node only when its presence changes.
    @Test func theEndOfANoteThatWasNotKnownIsTheEndOfItsProgram() {
        var watched = WatchedPresence()
        func end(_ device: Device) -> [WatchedPresence.Report] {
            watched.take(nil, of: device, isRetained: false, at: 0, unixMs: 0)
        }
        #expect(end(bob).isEmpty)
        watched.received(message(.ringing), from: bob, as: "main")
        watched.sent(sent(.state(MediaState())))
        watched.received(message(.ringing), from: bob, as: "main")
        #expect(end(bob) == [.gone(callId: "c1", bob, session: nil)])
        #expect(end(alice).isEmpty)
        // A broker says it once for each subscription.
        #expect(end(bob).isEmpty)
        watched.received(message(.ringing), from: bob, as: "main")
        #expect(end(bob) == [.gone(callId: "c1", bob, session: nil)])
        _ = watched.take(note(), of: bob, isRetained: false, at: 0, unixMs: 1_000_000)
        #expect(end(bob) == [.gone(callId: "c1", bob, session: "s")] && end(bob).isEmpty)
    }

    // MARK: Calls

    private func message(_ body: SignalingMessage.Body, to user: String = "alice") -> SignalingMessage {
        SignalingMessage(id: "m", callId: "c1", from: "bob", to: user, sentUnixMs: 0, body: body)
    }

    private func sent(_ body: SignalingMessage.Body, toDevice: String? = nil) -> SignalingMessage {
        var message = message(body, to: "bob")
        message.toDevice = toDevice
        return message
    }

    private let bye = SignalingMessage.Farewell(code: 603, text: "")

    private func receive(
        _ body: SignalingMessage.Body, _ call: String = "c1", from sender: Device, _ peers: inout CallPeers
    ) { peers.received(body, callId: call, from: sender, as: "main") }

    @Test func aDeviceIsWatchedWhileItHasACall() {
        let phone = Device(user: "bob", device: "phone")
        func ringing() -> CallPeers {
            var peers = CallPeers()
            peers.sent(sent(.query))
            for device in [bob, phone] { receive(.ringing, from: device, &peers) }
            return peers
        }
        #expect(Set(ringing().devices) == [bob, phone])
        #expect(ringing().calls(with: bob) == ["c1"])
        var peers = ringing()
        receive(.reject(bye), from: phone, &peers)
        #expect(Set(peers.devices) == [bob] && peers.hasChanged)
        receive(.hangup(bye), from: bob, &peers)
        #expect(peers.devices.isEmpty)
        peers = ringing()
        peers.sent(sent(.cancel(.init(code: 200, text: "", winner: "tv"))))
        #expect(Set(peers.devices) == [bob])
        peers.sent(sent(.hangup(bye), toDevice: "tv"))
        #expect(peers.devices.isEmpty)
        peers = ringing()
        peers.sent(sent(.cancel(bye)))
        #expect(peers.devices.isEmpty)
        // Another device of this user took the call.
        for (winner, isOver) in [("main", false), ("other", true)] {
            peers = CallPeers()
            peers.sent(sent(.ringing))
            receive(.query, from: bob, &peers)
            receive(.cancel(.init(code: 200, text: "", winner: winner)), from: bob, &peers)
            #expect(peers.devices.isEmpty == isOver)
        }
    }

    @Test func aPeerCannotInventCalls() {
        var peers = CallPeers()
        for number in 0..<100 { receive(.query, "x\(number)", from: bob, &peers) }
        #expect(peers.devices.isEmpty && !peers.hasChanged)
        peers.sent(sent(.query))
        for body in [SignalingMessage.Body.ack("m"), .gone, .error(.init(code: 481, text: "", ref: "m"))] {
            receive(body, from: bob, &peers)
        }
        #expect(peers.devices.isEmpty)
        for number in 0..<100 { receive(.query, from: Device(user: "bob", device: "d\(number)"), &peers) }
        #expect(peers.devices.count == CallPeers.maximumDevices)
    }

    @Test func callsBeyondTheLimitAreForgotten() throws {
        let invite = SignalingMessage.Body.invite(.init(media: .audioVideo, ringTimeoutMs: 1_000, sdp: ""))
        var peers = CallPeers()
        receive(invite, "a", from: alice, &peers)
        for number in 0...CallPeers.maximumWithUser { receive(invite, "c\(number)", from: bob, &peers) }
        #expect(peers.calls(with: bob).count == CallPeers.maximumWithUser)
        #expect(!peers.calls(with: bob).contains("c0"))
        #expect(peers.calls(with: alice) == ["a"])
    }

    @Test func devicesBeyondTheLimitAreIgnored() {
        var book = PresenceBook(maximumUsers: 2, maximumDevices: 16)
        for number in 0..<100 {
            let device = Device(user: "bob", device: "d\(number)")
            _ = book.take(note(), of: device, isRetained: false, at: 0, unixMs: 0)
        }
        #expect(book.devices(of: "bob").count == 16)
        _ = book.take(note(), of: alice, isRetained: false, at: 0, unixMs: 0)
        #expect(book.session(of: alice) == "s")
    }

    // MARK: Refusals

    @Test(arguments: [(0x10, 480), (0x87, 403), (0x97, 429), (0x80, 400), (0x99, 400)])
    func theBrokersReasonIsTheServersError(reason: Int32, code: Int) throws {
        var notices = BrokerNotice()
        let refusal = notices.refusal(of: message(.query), reason: reason, unixMs: 7)
        let answer = try #require(refusal)
        guard case .error(let fault) = answer.body else {
            Issue.record("\(answer)")
            return
        }
        #expect(fault.code == code && fault.ref == "m" && answer.to == "bob" && answer.callId == "c1")
        #expect(try SignalingMessage(decoding: answer.encoded()) == answer)
        for body in [SignalingMessage.Body.ack("m"), .error(fault)] {
            #expect(notices.refusal(of: message(body), reason: reason, unixMs: 7) == nil)
        }
    }
}
