@testable import CallAgent

/// Checks the promises of the rules at each step of one call.
struct Promises {
    private var running: Set<CallTimer> = []
    /// The generations with a sent or accepted answer.
    private var answered: Set<Int> = []
    private var endings = 0
    private var isAcceptedHere = false
    /// What this end's user agreed to send; nil before the call begins.
    private var agreed: CallMedia?

    init() {}

    /// Starts with a machine that has handled events before.
    init(from machine: CallMachine) {
        isAcceptedHere = machine.phase == .accepted
        if machine.phase != .idle {
            agreed = CallMedia(audio: machine.own.audio != .off, video: machine.own.video != .off)
        }
        switch machine.state {
        case .calling where machine.phase != .idle, .ringing: running = [.ring]
        case .connecting: running = [.connect]
        case .calling, .connected, .reconnecting, .ended: break
        }
    }

    /// Gives `event` to `machine`.
    ///
    /// - Returns: The promises that the event broke, as texts.
    mutating func give(
        _ event: CallMachine.Event, to machine: inout CallMachine,
        carryOut: ([CallMachine.Effect]) -> Void = { _ in }
    ) -> [String] {
        let before = machine
        noteAgreement(event, machine)
        let effects = machine.handle(event)
        carryOut(effects)
        var broken: [String] = []
        if before.state == .ended {
            if !effects.isEmpty { broken.append("an ended call is not silent: \(effects)") }
            if machine != before { broken.append("an ended call changed") }
            return broken
        }
        if case .timerFired(let timer) = event { running.remove(timer) }
        if event == .accept || event.isYield, machine.phase == .accepted { isAcceptedHere = true }
        for effect in effects { note(effect, event, machine, &broken) }
        checkEnd(effects, machine, &broken)
        checkReports(effects, before, machine, &broken)
        checkTimers(machine, &broken)
        return broken.map { "\($0), on \(event) in \(before.role) \(before.phase)" }
    }

    /// A user agrees to the media of a call that it places or takes, and to what it turns on or asks for later.
    private mutating func noteAgreement(_ event: CallMachine.Event, _ machine: CallMachine) {
        if agreed == nil, machine.role == .caller { agreed = machine.media }
        switch event {
        case .received(.invite(let invite), _, _): agreed = agreed ?? invite.media
        case .setSending(let audio, let video):
            if let audio, audio != .off { agreed?.audio = true }
            if let video, video != .off { agreed?.video = true }
        case .changeMedia(let media) where machine.refusal(of: event) == nil:
            if media.audio { agreed?.audio = true }
            if media.video { agreed?.video = true }
        default: break
        }
    }

    private mutating func note(
        _ effect: CallMachine.Effect, _ event: CallMachine.Event, _ machine: CallMachine, _ broken: inout [String]
    ) {
        let policy = machine.role == .callee ? machine.earlyMedia : .full
        switch effect {
        case .startTimer(let timer, let milliseconds):
            running.insert(timer)
            if milliseconds <= 0 { broken.append("a timer without length") }
        case .cancelTimer(let timer): running.remove(timer)
        case .setGates: checkGates(effect, policy, machine, &broken)
        case .createAnswer where policy == .off && !isAcceptedHere, .send(.progress, _) where policy == .off,
            .send(.candidate, _) where policy == .off && !isAcceptedHere:
            broken.append("the callee's addresses were told before the accept")
        case .send(.progress, let address), .send(.accept(sdp: .some, state: _), let address),
            .send(.answer, let address):
            if !answered.insert(address.generation).inserted { broken.append("a second answer") }
        case .setAnswer(_, let generation):
            if !answered.insert(generation).inserted { broken.append("a second answer") }
        case .adoptCall: answered = []
        default: break
        }
        if effect.message != nil, machine.role == .caller, !machine.isInviteSent {
            broken.append("said before the invite")
        }
    }

    private func checkGates(
        _ effect: CallMachine.Effect, _ policy: EarlyMediaPolicy, _ machine: CallMachine, _ broken: inout [String]
    ) {
        if effect.opensReceiveGates {
            if machine.phase != .accepted || !machine.hasFirstFrame { broken.append("shown before connected") }
            if machine.hold != .none { broken.append("shown though it is held") }
        }
        if case .setGates(let gates, _) = effect, let agreed {
            if gates.audio == .live && !agreed.audio || gates.video == .live && !agreed.video {
                broken.append("sends \(gates), though its user agreed to \(agreed)")
            }
        }
        if effect.opensSendGates, policy != .full, !isAcceptedHere { broken.append("sent before the accept") }
    }

    private mutating func checkEnd(
        _ effects: [CallMachine.Effect], _ machine: CallMachine, _ broken: inout [String]
    ) {
        endings += effects.count { $0.change?.state == .ended }
        guard machine.state == .ended else {
            if effects.contains(.stopMedia) || endings > 0 { broken.append("an end that is none") }
            return
        }
        if endings != 1 { broken.append("\(endings) reports of the end") }
        if effects.last?.change?.state != .ended { broken.append("something after the end") }
        if !effects.contains(.stopMedia) { broken.append("the media stays open") }
        if effects.messages.count > 1 { broken.append("more than one farewell") }
        if !running.isEmpty { broken.append("\(running) run after the end") }
    }

    private func checkReports(
        _ effects: [CallMachine.Effect], _ before: CallMachine, _ after: CallMachine, _ broken: inout [String]
    ) {
        let changes = effects.compactMap(\.change)
        if changes.count > 1 { broken.append("several changes at once") }
        if before.state != after.state, changes.isEmpty { broken.append("a change that nobody is told") }
        if let told = changes.last?.state, told != after.state { broken.append("told \(told) in \(after.state)") }
    }

    /// Only connected and ended may last without a timer, and no timer outlives its state.
    private func checkTimers(_ machine: CallMachine, _ broken: inout [String]) {
        guard machine.state != .ended, machine.phase != .idle else { return }
        let expected: CallTimer? =
            switch machine.state {
            case .calling, .ringing: .ring
            case .connecting: .connect
            case .reconnecting: .mediaLost
            case .connected, .ended: nil
            }
        let actual = running.subtracting([.peerGone, .fork, .change, .audioGrace, .iceRestart])
        if actual != Set([expected].compactMap(\.self)) { broken.append("\(machine.state) with the timers \(actual)") }
        let searches = [machine.current, machine.next].contains { $0?.restart.isRunning == true }
        if running.contains(.iceRestart) != searches {
            broken.append("a search for a path without its timer, or after it")
        }
        if running.contains(.change), machine.next == nil, !machine.isAskingForMedia, machine.requestedMedia == nil {
            broken.append("the timer of a change that is over")
        }
        if machine.requestedMedia != nil, !running.contains(.change) || machine.hasFirstFrame {
            broken.append("a request for other media that waits for nothing")
        }
        if machine.next != nil || machine.isAskingForMedia, !running.contains(.change) {
            broken.append("a change without end")
        }
        if machine.peerPresence == .leaving, !running.contains(.peerGone) {
            broken.append("leaving forever")
        }
        if machine.peerPresence == .gone, machine.shown.isInterrupted || !machine.shown.isVerified {
            broken.append("gone, nothing arrives, and the call goes on")
        }
    }
}
