import Testing

@testable import CallAgent

/// Both ends of one call, with nothing lost between them.
struct TwoMachinesTests {
    /// The end reasons of an end that ends the call, and the matching reasons of the other end.
    static let told: [EndReason: Set<EndReason>] = [
        .localHangup: [.remoteHangup],
        .localCancelled: [.remoteCancelled],
        .localRejected: [.remoteRejected, .remoteBusy],
        .ringTimeout: [.remoteRingTimeout],
        .connectTimeout: [.remoteConnectTimeout],
        .incompatibleMedia: [.incompatibleMedia],
        .mediaLost: [.remoteFailed],
        .mediaFailed: [.remoteFailed],
        .securityFailed: [.remoteFailed],
    ]

    /// The reasons with which each end can end the call itself.
    static let own: [CallRole: Set<EndReason>] = [
        .caller: Set(told.keys).subtracting([.localRejected]),
        .callee: Set(told.keys).subtracting([.localCancelled]),
    ]

    @Test("When every message is delivered, both ends are connected, or both ended with matching reasons")
    func bothEndsAgree() {
        var seen: [EndReason: Int] = [:]
        var (connected, crossed) = (0, 0)
        for seed in 0..<UInt64(2_000) {
            var ends = TwoEnds(seed: seed)
            ends.run()
            let complaint = complaint(about: ends)
            if !ends.broken.isEmpty || complaint != nil {
                Issue.record("seed \(seed): \(complaint ?? "") \(ends.broken)")
            }
            for role in CallRole.both { if let reason = ends.reason(role) { seen[reason, default: 0] += 1 } }
            if ends.machines[.caller]?.state == .connected { connected += 1 }
            if ends.enders.count == 2 { crossed += 1 }
        }
        // The test is meaningful only if all kinds of outcomes occur.
        #expect(connected > 100)
        #expect(crossed > 10)
        let expected = Set(Self.told.keys).union(Self.told.values.joined())
        #expect(expected.subtracting(seen.keys) == [])
    }

    private func complaint(about ends: TwoEnds) -> String? {
        guard let caller = ends.machines[.caller], let callee = ends.machines[.callee] else { return "no machines" }
        switch (caller.end?.reason, callee.end?.reason) {
        case (nil, nil):
            return caller.state == .connected && callee.state == .connected
                ? nil : "\(caller.state) and \(callee.state) forever"
        case (let reason?, nil) where !caller.isInviteSent && callee.phase == .idle:
            // The call ended before the invite was sent.
            return Self.own[.caller]?.contains(reason) == true ? nil : "\(reason) before the invite"
        case (let mine?, let theirs?): return pairComplaint(mine, theirs, ends.enders)
        case (let mine, let theirs):
            return "only one end ended: \(String(describing: mine)), \(String(describing: theirs))"
        }
    }

    private func pairComplaint(_ caller: EndReason, _ callee: EndReason, _ enders: Set<CallRole>) -> String? {
        let fits: Bool? =
            switch (enders.contains(.caller), enders.contains(.callee)) {
            // Their farewells crossed: each end has its own reason.
            case (true, true):
                Self.own[.caller]?.contains(caller) == true && Self.own[.callee]?.contains(callee) == true
            case (true, false): Self.told[caller]?.contains(callee)
            case (false, true): Self.told[callee]?.contains(caller)
            case (false, false): false
            }
        return fits == true ? nil : "\(caller) at the caller, \(callee) at the callee, ended by \(enders)"
    }
}

extension TwoEnds {
    func reason(_ role: CallRole) -> EndReason? { machines[role]?.end?.reason }
}
