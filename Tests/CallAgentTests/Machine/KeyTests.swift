import Testing

@testable import CallAgent

/// Who may press keys of a telephone when (B10).
struct KeyTests {
    @Test("A caller may while it rings, both in an accepted call, and nobody before, after, and while somebody holds")
    func when() {
        #expect(!CallMachine.calling().maySendKeys)
        #expect(CallMachine.hearsRinging().maySendKeys)
        #expect(!CallMachine.ringing().maySendKeys)
        for role in CallRole.both {
            #expect(CallMachine.connecting(role).maySendKeys)
            let connected = CallMachine.connected(role)
            #expect(connected.maySendKeys)
            #expect(!connected.after(.hold).maySendKeys)
            #expect(connected.after(.hold, .unhold).maySendKeys)
            #expect(!connected.after(.received(.state(.init(isHolding: true)))).maySendKeys)
            #expect(connected.after(.interrupted).maySendKeys)
            #expect(!connected.after(.hangUp).maySendKeys)
        }
    }

    @Test("A callee that lets media out while it rings lets keys out, too")
    func earlyMedia() {
        for policy in EarlyMediaPolicy.allCases {
            let machine = CallMachine(role: .callee, media: .audioVideo, earlyMedia: policy)
            #expect(machine.after(.received(.anInvite)).maySendKeys == (policy == .full))
        }
    }
}
