import Testing

@testable import CallAgent

/// Invalid configuration that an agent refuses at set-up instead of failing later.
@Suite(.timeLimit(.minutes(1)))
struct SetUpTests {
    static let bad: [@Sendable (inout AgentConfiguration) -> Void] = [
        { $0.maximumCalls = 0 }, { $0.maximumCalls = .max }, { $0.callAuditMs = 0 }, { $0.ringAuditMs = -1 },
        { $0.timeouts.ringMs = SignalingLimits.ringTimeoutMs + 1 }, { $0.timeouts.connectMs = 0 },
        { $0.keptReports = -1 }, { $0.statisticsInterval = .milliseconds(1) },
        { $0.displayName = String(repeating: "x", count: 257) }, { $0.delivery.expiryMs = 0 },
    ]

    @Test("prepare() refuses invalid values with a clear error", arguments: bad.indices)
    func values(index: Int) async throws {
        var configuration = AgentConfiguration()
        Self.bad[index](&configuration)
        let alice = Party("alice", FakeSignaling(), configuration)
        await #expect {
            try await alice.agent.prepare()
        } throws: { error in
            if case .invalidConfiguration(let text) = error as? CallError { !text.isEmpty } else { false }
        }
        #expect(await alice.agent.state == .idle)
    }

    @Test("The extension data of the agent and of a call are checked together")
    func extensions() async throws {
        let half = Dictionary(uniqueKeysWithValues: (0..<20).map { ("a\($0)", "x") })
        let other = Dictionary(uniqueKeysWithValues: (0..<20).map { ("b\($0)", "x") })
        try await withAlice {
            $0.extensionData = half
        } _: { alice, signaling in
            await #expect { try await alice.agent.call("bob", extension: other) } throws: {
                Self.isInvalidExtension($0)
            }
            #expect(signaling.sent.isEmpty)
            let call = try await alice.agent.call("bob")
            await #expect { try await call.attach(other) } throws: { Self.isInvalidExtension($0) }
            await #expect { try await call.hangUp(extension: other) } throws: { Self.isInvalidExtension($0) }
            #expect(await call.state == .calling, "the call goes on")
            try await call.hangUp(extension: ["why": "done"])
            try await eventually("the cancel") { signaling.sent.contains { $0.extensionData["why"] == "done" } }
        }
        let tooMuch = Party(
            "alice", FakeSignaling(),
            {
                var configuration = AgentConfiguration()
                configuration.extensionData = half.merging(other) { $1 }
                return configuration
            }())
        await #expect { try await tooMuch.agent.prepare() } throws: { Self.isInvalidExtension($0) }
    }

    @Test("prepare() waits for a running release(), and the agent then receives messages")
    func prepareDuringRelease() async throws {
        let board = InMemorySignaling()
        let (alice, bob) = (Party("alice", board.transport()), Party("bob", board.transport()))
        try await bob.agent.prepare()
        for _ in 0..<20 {
            try await alice.agent.prepare()
            async let releasing: Void = alice.agent.release()
            async let preparing: Result<Void, CallError> = {
                do throws(CallError) { return .success(try await alice.agent.prepare()) } catch {
                    return .failure(error)
                }
            }()
            await releasing
            // The release may have been the last word; it ends the prepare() then.
            if case .failure(let error) = await preparing { #expect(error == .notPrepared) }
            if await alice.agent.state != .prepared { try await alice.agent.prepare() }
            let call = try await bob.agent.call("alice")
            #expect(try await alice.nextCall().id == call.id, "it receives")
            await call.hangUp()
            _ = await call.waitUntilEnded()
            await alice.agent.release()
        }
        await alice.agent.close()
        await bob.agent.close()
    }

    private static func isInvalidExtension(_ error: any Error) -> Bool {
        if case .invalidExtension = error as? CallError { true } else { false }
    }
}
