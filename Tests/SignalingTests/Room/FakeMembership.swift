import CallProtocol
import Synchronization

@testable import RoomClient

/// A room without a server; a test controls what it answers.
final class FakeMembership: RoomMembership {
    let id = "1"
    let participants: [RoomParticipant] = []
    let events: AsyncStream<RoomMembershipEvent> = AsyncStream { $0.finish() }

    private struct State {
        var requests: [String] = []
        var failure: RoomError?
        var offers = 0
    }
    private let state = Mutex(State())

    /// What was asked so far, in order.
    var requests: [String] { state.withLock { $0.requests } }

    /// Every later request fails so; nil: none.
    func fail(_ failure: RoomError?) { state.withLock { $0.failure = failure } }

    /// The server's description of the n-th request: its credentials have the number.
    static func description(_ number: Int, direction: String = "recvonly") -> String {
        """
        v=0\r
        o=- 1 1 IN IP4 127.0.0.1\r
        s=-\r
        t=0 0\r
        a=group:BUNDLE 0 1\r
        m=audio 9 UDP/TLS/RTP/SAVPF 111\r
        a=mid:0\r
        a=\(direction)\r
        a=ice-ufrag:jan\(number)\r
        a=ice-pwd:passwordOfTwentyTwoBytes\(number)\r
        a=candidate:1 1 udp 2015363327 10.0.0.\(number) 5000 typ host\r
        m=video 9 UDP/TLS/RTP/SAVPF 96\r
        a=mid:1\r
        a=\(direction)\r
        a=ice-ufrag:jan\(number)\r
        a=ice-pwd:passwordOfTwentyTwoBytes\(number)\r
        a=candidate:1 1 udp 2015363327 10.0.0.\(number) 5000 typ host\r

        """
    }

    private func note(_ request: String) throws(RoomError) -> Int {
        let (failure, number) = state.withLock { state in
            state.requests.append(request)
            state.offers += 1
            return (state.failure, state.offers)
        }
        if let failure { throw failure }
        return number
    }

    func publish(_ offer: String) async throws(RoomError) -> String {
        Self.description(try note("publish \(Self.fragment(offer))"))
    }
    func unpublish() async { _ = try? note("unpublish") }
    func subscribe(
        to participant: RoomParticipant, layer: SimulcastLayer
    ) async throws(RoomError) -> RoomSubscription {
        let number = try note("subscribe \(participant.id)" + (layer == .high ? "" : " \(layer)"))
        return RoomSubscription(id: "s\(number)", offer: Self.description(number, direction: "sendonly"))
    }
    func setLayer(_ layer: SimulcastLayer, of id: String) async throws(RoomError) { _ = try note("\(layer) of \(id)") }
    func restart(_ id: String) async throws(RoomError) -> String {
        Self.description(try note("restart \(id)"), direction: "sendonly")
    }
    func answer(_ description: String, to id: String) async throws(RoomError) {
        _ = try note("answer \(id) \(Self.fragment(description))")
    }
    func unsubscribe(_ id: String) async { _ = try? note("unsubscribe \(id)") }
    func add(_ candidate: String, mLine: Int, to media: RoomMedia) async {
        _ = try? note("candidate \(candidate.isEmpty ? "end" : candidate)")
    }
    func setMuted(_ isMuted: Bool, mid: String, of id: String) async throws(RoomError) {
        _ = try note("mute \(id) \(mid) \(isMuted)")
    }
    func kick(_ id: String) async throws(RoomError) { _ = try note("kick \(id)") }
    func check() async { _ = try? note("check") }
    func leave() async { _ = try? note("leave") }

    private static func fragment(_ description: String) -> String {
        RoomDescription(description).parameters(restart: 1)?.fragment ?? "none"
    }
}
