import Foundation
import TestServers
import Testing

extension EndToEnd {
    /// The local addresses and ports of a call.
    @Suite struct AddressTests {
        @Test(
            "A call uses only the chosen address and ports",
            arguments: ["127.0.0.1", "127.0.0.2", "::1"])
        func chosen(address: String) async throws {
            if address == "::1", await !Loopback.hasIPv6 { try Test.cancel("this machine has no ::1") }
            let trio = try await Trio()
            func program(_ words: [String], ports: ClosedRange<Int>) throws -> Program {
                try Program(
                    words + [
                        "--signaling", trio.url, "--ice-interface", address, "--ice-ports",
                        "\(ports.lowerBound)-\(ports.upperBound)", "--events",
                    ])
            }
            let ranges = [42_000...42_049, 42_050...42_099]
            let bob = try program(["listen", "--as", "bob", "--audio", "tone:660"], ports: ranges[1])
            try await eventually("bob listens") { bob.hasEvent(["event": "listening"]) }
            let alice = try program(["call", "bob", "--as", "alice", "--duration", "2s"], ports: ranges[0])
            for (program, range) in zip([alice, bob], ranges) {
                try await eventually("connected") { program.hasEvent(["event": "stateChanged", "state": "connected"]) }
                let media = try UDPSockets.bound(by: program.pid)
                #expect(media.count == 1, "\(media)")
                for socket in media {
                    #expect(range.contains(socket.port) && socket.isIPv6 == address.contains(":"), "\(media)")
                }
            }
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            for (program, pitch) in [(alice, 660.0), (bob, 440.0)] {
                try await eventually("the report") { program.hasEvent(["event": "report"]) }
                let report = try #require(program.events.first { $0["event"] as? String == "report" })
                #expect(try report.number("report.video.received.distinctFrames") > 0)
                #expect(abs(try report.number("report.audio.received.toneHz") - pitch) < 10)
                #expect(try report.text("report.transport.localCandidateType") == "host")
            }
        }

        @Test("Vanilla ICE: no separate candidate message is sent, and the end of gathering is in the report")
        func vanilla() async throws {
            let trio = try await Trio()
            let bob = try await trio.listen(["--ice-gather-timeout", "0s"])
            let alice = try trio.call(["--json", "--duration", "500ms", "--ice-gather-timeout", "4s"])
            #expect(try await alice.waitForExit() == 0, "\(alice.errors)")
            try await eventually("bob's end") { bob.hasEvent(["event": "report"]) }
            let call = try #require((try alice.document()["calls"] as? [[String: Any]])?.first)
            #expect(try call.number("video.received.framesDecoded") > 0)
            let records = try #require(call["records"] as? [[String: Any]])
            let actions = records.compactMap { $0["action"] as? String }
            #expect(actions.contains("gathered complete") && !actions.contains("candidate"), "\(actions)")
        }
    }
}
