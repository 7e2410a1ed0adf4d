import Testing

@testable import CallAgent

/// When each end may send DTMF digits (B10).
struct KeyTests {
    @Test("The caller may while it rings, both after the accept; nobody before, after the end, or during hold")
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

    @Test("A ringing callee may send DTMF digits only with full early media")
    func earlyMedia() {
        for policy in EarlyMediaPolicy.allCases {
            let machine = CallMachine(role: .callee, media: .audioVideo, earlyMedia: policy)
            #expect(machine.after(.received(.anInvite)).maySendKeys == (policy == .full))
        }
    }
}
