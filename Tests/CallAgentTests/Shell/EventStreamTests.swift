import Testing

@testable import CallAgent

/// The events that observers of a call get.
@Suite(.timeLimit(.minutes(1)))
struct EventStreamTests {
    @Test("A stream begins with the present state, and each access gives a new stream")
    func presentState() async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("bob")
            let placed = CallEvent.stateChanged(.init(state: .calling, reason: .placed, by: .local))
            let ringing = CallEvent.stateChanged(.init(state: .ringing, reason: .ringing, by: .peer))
            var early = call.events.makeAsyncIterator()
            #expect(await early.next() == placed)
            try signaling.deliver(.ringing, call: call.id)
            try await call.reaches(.ringing)
            var late = call.events.makeAsyncIterator()
            #expect(await late.next() == ringing)
            guard case .reached(.ringing, _) = await early.next() else {
                Issue.record("the early stream misses the stage")
                return
            }
            #expect(await early.next() == ringing)
        }
    }

    @Test("Every stream gets all changes in order, and the streams end with the call")
    func wholeCall() async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("bob")
            let streams = [call.events, call.events]
            try signaling.deliver(.ringing, call: call.id)
            try signaling.deliver(.progress(sdp: "answer"), call: call.id)
            try signaling.deliver(.accept(sdp: nil), call: call.id)
            try await call.reaches(.connecting)
            try await alice.session().emit(.verified, .firstVideoFrame)
            try await call.reaches(.connected)
            try signaling.deliver(.hangup(9900), call: call.id)
            for stream in streams {
                var changes: [CallStateChange] = []
                for await case .stateChanged(let change) in stream { changes.append(change) }
                #expect(
                    changes == [
                        .init(state: .calling, reason: .placed, by: .local),
                        .init(state: .ringing, reason: .ringing, by: .peer),
                        .init(state: .connecting, reason: .accepted, by: .peer),
                        .init(state: .connected, reason: .firstFrame, by: .peer),
                        .init(state: .ended, reason: .ended(.remoteHangup), by: .peer),
                    ])
            }
        }
    }

    @Test("The stream of an ended call has the end and finishes")
    func afterTheEnd() async throws {
        try await withAlice { alice, _ in
            let call = try await alice.agent.call("bob")
            await call.hangUp()
            _ = await call.waitUntilEnded()
            var events: [CallEvent] = []
            for await event in call.events { events.append(event) }
            #expect(events == [.stateChanged(.init(state: .ended, reason: .ended(.localCancelled), by: .local))])
        }
    }

    @Test("When a state change is reported, the call has the new state")
    func stateAgrees() async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("bob")
            let events = call.events
            try signaling.deliver(.reject(486), call: call.id)
            for await case .stateChanged(let change) in events where change.state == .ended {
                #expect(await call.state == .ended)
                #expect(await call.end?.reason == .remoteBusy)
            }
        }
    }

    @Test("An observer that stops does not affect the others")
    func unsubscribing() async throws {
        try await withAlice { alice, signaling in
            let call = try await alice.agent.call("bob")
            let staying = call.events
            for await _ in call.events { break }
            try signaling.deliver(.reject(603), call: call.id)
            var last: CallEvent?
            for await event in staying { last = event }
            #expect(last == .stateChanged(.init(state: .ended, reason: .ended(.remoteRejected), by: .peer)))
        }
    }
}
