import Foundation
import SignalingServer
import TestServers
import Testing

@testable import CallAgent

extension EndToEnd {
    /// The members of a pool at different nodes of one broker.
    @Suite struct PoolClusterTests {
        /// A running cluster, and the tokens for it.
        private struct Site {
            let cluster: EjabberdCluster
            private let key: TokenKey

            init() async throws {
                cluster = try await EjabberdCluster(3)
                key = try await TokenKey.read(file: cluster.key.path)
            }

            /// A password of this user.
            private func token(_ user: String) throws -> String {
                try AccessToken(user: "\(user)@localhost", lifetime: .seconds(600)).signed(with: key)
            }

            func pool(_ urls: [String], _ options: [String] = []) async throws -> Pool {
                let file = try TemporaryFile(try token("support"))
                return try await Pool(urls, options + ["--token-file", file.path], keeping: (cluster, file))
            }

            /// A caller that is signed in at a node.
            func caller(_ user: String, node: Int) async throws -> Station {
                let token = try token(user)
                return try await Station(user, at: cluster.url(first: node), token: { token }).prepared()
            }

            /// Calls the pool from a user at a node.
            func call(as user: String, node: Int) async throws -> PoolCall {
                try await PoolCall(from: caller(user, node: node))
            }

            /// The same; returns when the call is connected.
            func hold(as user: String, node: Int) async throws -> PoolCall {
                let call = try await call(as: user, node: node)
                try await call.call.reaches(.connected)
                return call
            }
        }

        @Test("Calls from any node ring at one free member each, at whichever node it is; 'busy' when there is none")
        func shared() async throws {
            let site = try await Site()
            // Each comes when the others are there already.
            var pool = try await site.pool([site.cluster.url(first: 0)])
            for node in 1...2 { try await pool.add([site.cluster.url(first: node)]) }
            var held: [PoolCall] = []
            for number in 0..<3 { held.append(try await site.hold(as: "bob-\(number)", node: 2 - number)) }
            // The first one may ring at a second member, too: the last member has just come, and the others have not answered its note.
            try await eventually("each has one: \(pool.rings)") { !pool.rings.contains(0) }
            let late = try await site.call(as: "carol", node: 1)
            try await late.call.ends(.remoteBusy)
            for call in held { try await call.expectMedia() }
            try await held[1].end()
            // That member is free again, and no other. By now all know each other.
            let before = pool.rings.reduce(0, +)
            let next = try await site.hold(as: "dave", node: 0)
            try await next.expectMedia()
            #expect(pool.rings.reduce(0, +) == before + 1, "\(pool.rings)")
            for call in [held[0], held[2], next] { try await call.end() }
        }

        @Test(
            "A call that rings at a member that is killed ends as lost, and later calls reach the others")
        func killedMember() async throws {
            let site = try await Site()
            let pool = try await site.pool(
                (0..<2).map { site.cluster.url(first: $0) }, ["--answer", "never", "--max-calls", "9"])
            var (call, before) = (try await site.call(as: "bob", node: 2), [0, 0])
            try await call.call.reaches(.ringing)
            // On a busy machine the caller repeats the invite, which rings at the other member, too.
            for attempt in 0..<5 where pool.rings.reduce(0, +) > before.reduce(0, +) + 1 {
                try await call.end()
                before = pool.rings
                call = try await site.call(as: "bob-\(attempt)", node: 2)
                try await call.call.reaches(.ringing)
            }
            try await eventually("one has it") { pool.rings != before }
            let dead = try #require(pool.rings.indices.first { pool.rings[$0] > before[$0] })
            before = pool.rings
            pool.members[dead].signal(SIGKILL)
            try await call.call.ends(.remoteLost)
            for number in 0..<3 {
                let next = try await site.call(as: "carol-\(number)", node: number)
                try await next.call.reaches(.ringing)
                try await next.end()
            }
            try await eventually("the other one had them: \(pool.rings)") {
                pool.rings[1 - dead] == before[1 - dead] + 3
            }
            #expect(pool.rings[dead] == before[dead])
        }
    }
}
