import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("The ICE agent") struct IceAgentTests {
        /// An agent on 127.0.0.1 and what it reported.
        private struct End {
            let agent: IceAgent
            let reports = Shared<[IceAgent.Report]>([])
            let fragment: String
            let password = String(repeating: "p", count: 22)

            init(_ fragment: String, isControlling: Bool) throws {
                try GStreamerLibrary.initialize()
                self.fragment = fragment
                let reports = reports
                let settings = IcePath.Settings(tuning: .loopback, stun: [], relays: [], policy: .all)
                agent = try IceAgent(settings) { report in
                    reports.update { $0.append(report) }
                }
                agent.setControlling(isControlling)
                agent.setLocalCredentials(fragment, password)
                agent.gather()
            }

            var candidates: [String] {
                reports.value.compactMap { if case .candidate(let candidate) = $0 { candidate.candidate } else { nil } }
            }
            var hasGathered: Bool { reports.value.contains { if case .gathered = $0 { true } else { false } } }
            var connections: Int { reports.value.count { if case .connected = $0 { true } else { false } } }

            func connect(to other: End) {
                agent.setRemoteCredentials(other.fragment, other.password)
                for candidate in other.candidates { agent.add(remoteCandidate: "a=\(candidate)") }
            }
        }

        @Test("Two agents connect, and report their candidates only when the description is set")
        func connects() async throws {
            let ends = [try End("aaaa", isControlling: true), try End("bbbb", isControlling: false)]
            // On loopback libnice has gathered everything by now.
            #expect(ends.allSatisfy { $0.reports.value.isEmpty })
            for end in ends { end.agent.reportCandidates() }
            try await eventually("all candidates") { ends.allSatisfy(\.hasGathered) }
            #expect(ends.allSatisfy { $0.candidates.count == 1 && $0.candidates[0].hasPrefix("candidate:") })
            // webrtcbin asks again, and repeats the first credentials, with each local description.
            for end in ends {
                end.agent.gather()
                end.agent.setLocalCredentials("cccc", end.password)
            }
            ends[0].connect(to: ends[1])
            ends[1].connect(to: ends[0])
            try await eventually("a working pair") { ends.allSatisfy { $0.connections == 1 } }
            #expect(ends[0].agent.isControlling && !ends[1].agent.isControlling)
            for end in ends { await end.agent.close() }
            #expect(ends.allSatisfy { $0.connections == 1 && $0.candidates.count == 1 })
        }

        @Test("One end is enough: it finds the other, whose checks arrive, as peer-reflexive")
        func oneSided() async throws {
            let ends = [try End("aaaa", isControlling: true), try End("bbbb", isControlling: false)]
            for end in ends { end.agent.reportCandidates() }
            try await eventually("all candidates") { ends.allSatisfy(\.hasGathered) }
            ends[0].connect(to: ends[1])
            ends[1].agent.setRemoteCredentials(ends[0].fragment, ends[0].password)
            try await eventually("a working pair") { ends.allSatisfy { $0.connections == 1 } }
            for end in ends { await end.agent.close() }
        }

        @Test("Malformed candidates are ignored, and it may be closed at any time and twice")
        func malformed() async throws {
            let end = try End("aaaa", isControlling: true)
            end.agent.setRemoteCredentials("bbbb", end.password)
            for line in ["", "a=candidate:", "nonsense", "a=candidate:1 1 UDP 1 host.invalid 9 typ host"] {
                end.agent.add(remoteCandidate: line)
            }
            end.agent.endRemoteCandidates()
            await end.agent.close()
            await end.agent.close()
            end.agent.reportCandidates()
            #expect(end.connections == 0)
        }

        @Test("All connections share one thread for ICE")
        func oneThread() async throws {
            try await withCall { first in
                try await first.connect()
                try await withCall { second in
                    try await second.connect()
                    let names = ProcessCensus.now().threads
                    #expect(names.count { $0 == "ice" } == 1)
                    #expect(!names.contains { $0.hasPrefix("nicesrc") })
                    for end in first.ends + second.ends { try await end.waitForFrames(5) }
                }
            }
        }
    }
}
