import Testing

@testable import MediaEngine

@Suite("A bounded stream") struct BoundedStreamTests {
    private enum Item: Equatable, Sendable {
        case once(Int)
        case state(String, Int)
        case initial(Int)
        case many(Int)
        case dropped(Int)

        var worth: BoundedStream<Item>.Worth {
            switch self {
            case .once, .dropped: .kept
            case .state(let name, _): .latest(name)
            case .initial: .first("initial")
            case .many: .repeated
            }
        }
    }

    private func stream(_ limit: Int) -> BoundedStream<Item> {
        BoundedStream(limit: limit) {
            $0.worth
        } notice: {
            .dropped($0)
        }
    }

    private func all(_ stream: BoundedStream<Item>) async -> [Item] {
        stream.finish()
        var items: [Item] = []
        for await item in stream.elements { items.append(item) }
        return items
    }

    @Test("Within the bound everything arrives, in order, and nothing after the end")
    func order() async {
        let stream = stream(4)
        for item in [Item.many(1), .many(2), .state("a", 1), .state("a", 2)] { stream.yield(item) }
        stream.finish()
        stream.yield(.once(1))
        #expect(await all(stream) == [.many(1), .many(2), .state("a", 1), .state("a", 2)])
    }

    @Test("Beyond the bound the oldest of the least important elements are dropped and counted")
    func flood() async {
        let stream = stream(6)
        stream.yield(.once(1))
        stream.yield(.initial(1))
        for number in 1...1_000 {
            stream.yield(.many(number))
            stream.yield(.state("a", number))
            stream.yield(.state("b", number))
            stream.yield(.initial(number + 1))
        }
        stream.yield(.once(2))
        #expect(stream.count == 6)
        let items = await all(stream)
        #expect(items.first == .dropped(3_997) && items.count == 7)
        #expect(items.filter { $0.worth == .kept }.dropFirst() == [.once(1), .once(2)])
        #expect(items.contains(.state("a", 1_000)) && items.contains(.state("b", 1_000)) && items.contains(.initial(1)))
    }

    @Test("Elements that must be kept may exceed the bound")
    func kept() async {
        let stream = stream(3)
        for number in 1...10 { stream.yield(.once(number)) }
        stream.yield(.many(1))
        #expect(await all(stream) == [.dropped(1)] + (1...10).map { .once($0) })
    }

    @Test("A waiting reader gets each element as it arrives")
    func reading() async throws {
        let stream = stream(2)
        let seen = Shared<[Item]>([])
        let reading = Task { for await item in stream.elements { seen.update { $0.append(item) } } }
        for number in 1...5 {
            stream.yield(.once(number))
            try await eventually("number \(number)") { seen.value.count == number }
        }
        stream.finish()
        await reading.value
        #expect(seen.value == (1...5).map { .once($0) })
    }

    @Test("Several writers at a time lose no count")
    func concurrent() async {
        let stream = stream(16)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { for number in 0..<500 { stream.yield(.many(task * 1_000 + number)) } }
            }
        }
        let items = await all(stream)
        #expect(items.first == .dropped(8 * 500 - 16) && items.count == 17)
    }
}

extension RealPipelines {
    @Suite("Unread events") struct UnreadEventTests {
        @Test(
            "A flood of events is bounded, and keeps how the connection began, stands and ended"
        )
        func flood() async throws {
            let peer = try await TestEngine.peer()
            let sink = peer.eventSink
            for kind in [
                PeerConnectionEvent.Kind.localCandidate(.endOfCandidates), .candidatesGathered(.complete), .verified,
            ] { sink.yield(.init(kind)) }
            for number in 1...5_000 {
                sink.yield(.init(.dtmf(try #require(DtmfDigit("5")))))
                sink.yield(.init(.frameSizeReceived(width: number, height: 90)))
                sink.yield(.init(number % 2 == 0 ? .resumed : .interrupted))
                sink.yield(.init(.captureLost(.video, .noFrame)))
                sink.yield(.init(.failed(.transportFailed(text: "\(number)"))))
            }
            sink.yield(.init(.captureRestored(.video)))
            #expect(sink.count == PeerConnection.maximumWaitingEvents)
            await peer.close()
            var kinds: [PeerConnectionEvent.Kind] = []
            for await event in peer.events { kinds.append(event.kind) }
            #expect(kinds.count == PeerConnection.maximumWaitingEvents + 1)
            guard case .eventsDropped(let count) = kinds.first else {
                Issue.record("\(kinds.prefix(3))")
                return
            }
            #expect(count > 24_000)
            for kind in [
                PeerConnectionEvent.Kind.verified, .candidatesGathered(.complete), .localCandidate(.endOfCandidates),
                .frameSizeReceived(width: 5_000, height: 90), .resumed, .captureRestored(.video),
                .failed(.transportFailed(text: "1")),
            ] { #expect(kinds.contains(kind), "\(kind)") }
        }

        @Test("Pipeline reports that the connection has not read are bounded, too")
        func reports() async throws {
            let reports = PeerConnection.makeReports()
            reports.yield(.peerCertificate("first"))
            for number in 1...5_000 {
                reports.yield(.bus(.dtmf(event: number % 16)))
                reports.yield(.bus(.latencyChanged))
                reports.yield(.peerCertificate("\(number)"))
                reports.yield(.bus(.error(element: "decoder", message: "\(number)", debug: "", fault: .unusable)))
                reports.yield(.warning("\(number)"))
            }
            reports.yield(.readyToSend)
            #expect(reports.count == PeerConnection.maximumWaitingEvents)
            reports.finish()
            var (certificates, errors, isReady, notices) = ([String](), [String](), false, 0)
            for await report in reports.elements {
                switch report {
                case .peerCertificate(let pem): certificates.append(pem)
                case .bus(.error(_, let message, _, _)): errors.append(message)
                case .readyToSend: isReady = true
                case .warning(let text) where text.contains("were dropped"): notices += 1
                default: break
                }
            }
            // Only the first certificate counts: a later handshake must not replace it.
            #expect(certificates.first == "first" && errors.first == "1" && isReady && notices == 1)
        }
    }
}
