import Foundation
import MediaEngine
import TestServers
import Testing

extension EndToEnd {
    /// The network changes during a call between two machines of a lab.
    @Suite(.enabled(if: NetworkLab.isPossible, "network namespaces need root, iproute2 and nftables"))
    struct NetworkChangeTests {
        private static func address(_ path: [String: Any], _ end: String) -> String? {
            (path[end] as? [String: Any])?["address"] as? String
        }

        @Test("The address of an end is replaced: media takes another path, and the call stays connected")
        func address() async throws {
            let call = try await LabCall(try NetworkLab(hasNAT: false))
            try call.lab.replaceAddress()
            let paths = try await call.expectNewPath()
            #expect(Self.address(paths[0], "local") == "10.77.1.3")
            #expect(Self.address(paths[1], "remote") == "10.77.1.3")
            try await call.expectMedia()
            for end in [call.alice, call.bob] { #expect(!end.hasEvent(["state": "reconnecting"])) }
            try await call.end()
        }

        @Test("The address of an end that sends two videos is replaced: both come back, on the same tracks")
        func addressWithTwoVideos() async throws {
            let videos = ["--additional-video", "test:smpte"]
            let call = try await LabCall(try NetworkLab(hasNAT: false), alice: videos, bob: videos)
            try call.lab.replaceAddress()
            _ = try await call.expectNewPath()
            let ends = [call.alice, call.bob].map { (end: $0, before: LabCall.decoded(.video(2), at: $0)) }
            for (end, before) in ends {
                #expect(before > 0)
                try await eventually("more of the second video") {
                    LabCall.decoded(.video(2), at: end) >= before + 20
                }
                #expect(!end.hasEvent(["state": "reconnecting"]))
            }
            try await call.expectMedia()
            try await call.end()
        }

        @Test("A second interface comes up and the first one goes: media is never interrupted")
        func interfaces() async throws {
            let call = try await LabCall(try NetworkLab(hasNAT: false))
            try call.lab.addInterface()
            let paths = try await call.expectNewPath()
            #expect(Self.address(paths[0], "local") == "10.77.3.2")
            try await call.expectMedia()
            try call.lab.ip(.alice, "link set eth0 down")
            try await call.expectMedia()
            for end in [call.alice, call.bob] {
                #expect(!end.hasEvent(["state": "reconnecting"]))
                #expect(end.count(of: ["event": "networkChangeStarted"]) == 1)
            }
            try await call.end()
        }

        @Test("An interface goes down and then another one comes up: signaling and media move at once")
        func interfacesWithoutOverlap() async throws {
            let call = try await LabCall(try NetworkLab(hasNAT: false))
            try call.lab.ip(.alice, "link set eth0 down")
            try call.lab.addInterface(besideFirst: false)
            let paths = try await call.expectNewPath()
            #expect(Self.address(paths[0], "local") == "10.77.3.2")
            // The address is still there; nobody waits for an answer to it.
            #expect(
                call.alice.hasEvent([
                    "event": "signalingLost", "text": "this machine no longer has the address 10.77.1.2",
                ]))
            try await call.expectMedia()
            try await call.end()
        }

        @Test("The router of an end gets another address: the silence is noticed, and media comes back")
        func router() async throws {
            let call = try await LabCall(try NetworkLab(hasNAT: true), stun: true)
            try call.lab.moveRouter()
            let paths = try await call.expectNewPath()
            #expect(Self.address(paths[0], "local") == "10.77.10.3")
            try await call.expectMedia()
            try await call.end()
        }

        @Test("Nothing passes for a while: the call reconnects by itself")
        func blackout() async throws {
            let call = try await LabCall(try NetworkLab(hasNAT: false))
            try call.lab.setBlackout(true)
            for end in [call.alice, call.bob] {
                try await eventually("reconnecting") {
                    end.hasEvent(["event": "stateChanged", "state": "reconnecting"])
                }
                try await eventually("the search") { end.hasEvent(["event": "networkChangeStarted"]) }
            }
            try call.lab.setBlackout(false)
            try await call.expectReconnected()
            try await call.end()
        }

        @Test("An outage makes the server give up the client: the call reconnects by itself")
        func longBlackout() async throws {
            let call = try await LabCall(try NetworkLab(hasNAT: false), bob: ["--log-level", "debug"])
            try call.lab.setBlackout(true)
            try await eventually("the server answers that alice is not signed in", within: .seconds(40)) {
                call.bob.errors.contains("the error 480")
            }
            try call.lab.setBlackout(false)
            try await call.expectReconnected()
            // Media may be back before: the hangup would have nobody to carry it.
            try await eventually("alice is signed in again") { call.alice.hasEvent(["event": "signalingRestored"]) }
            try await call.end()
        }

        @Test("While it is held, the network changes: the hold stays, and media comes back after it")
        func held() async throws {
            // So long that webrtcbin and the RTP session forget the silent streams.
            let call = try await LabCall(
                try NetworkLab(hasNAT: false), bob: ["--at", "5s=hold", "--at", "13s=unhold"])
            try await eventually("held") { call.alice.hasEvent(["event": "holdChanged", "hold": "remotelyHeld"]) }
            try call.lab.replaceAddress()
            _ = try await call.expectNewPath()
            #expect(!call.alice.hasEvent(["event": "holdChanged", "hold": "none"]))
            try await eventually("resumed") { call.alice.hasEvent(["event": "holdChanged", "hold": "none"]) }
            try await call.expectMedia()
            // The silence of a held call is no reason to look for another path.
            for end in [call.alice, call.bob] { #expect(end.count(of: ["event": "networkChangeStarted"]) == 1) }
            try await call.end()
        }
    }
}
