import Synchronization
import Testing

@testable import CallAgent

/// All elements of a stream so far.
final class Trail<Event: Sendable & Equatable>: Sendable {
    private let seen = Mutex<[Event]>([])

    init(_ stream: AsyncStream<Event>) {
        Task { [weak self] in
            for await event in stream { self?.seen.withLock { $0.append(event) } }
        }
    }

    var all: [Event] { seen.withLock { $0 } }

    func contains(_ event: Event) -> Bool { all.contains(event) }
}

/// A call and all its events.
final class FollowedCall: Sendable {
    let call: Call
    let events: Trail<CallEvent>

    init(_ call: Call) {
        self.call = call
        events = Trail(call.events)
    }

    /// The states that it has had.
    var states: [CallState] {
        events.all.compactMap { if case .stateChanged(let change) = $0 { change.state } else { nil } }
    }

    var notices: [CallNotice] {
        events.all.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
    }

    /// Waits for a notice.
    func hears(_ notice: CallNotice, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually("\(call.user) hears \(notice), not only \(notices)", sourceLocation: sourceLocation) {
            self.notices.contains(notice)
        }
    }

    /// Waits for a state.
    func reaches(
        _ state: CallState, within limit: Duration = .seconds(20), sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await eventually("\(call.user)'s call is \(state)", within: limit, sourceLocation: sourceLocation) {
            await self.call.state == state
        }
    }

    /// Waits for the end and checks its reason.
    func ends(
        _ reasons: EndReason..., within limit: Duration = .seconds(20),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await reaches(.ended, within: limit, sourceLocation: sourceLocation)
        let reason = try #require(await call.end, sourceLocation: sourceLocation).reason
        #expect(reasons.contains(reason), "\(call.user): \(reason)", sourceLocation: sourceLocation)
    }

    /// Waits until half a second of new moving video and of the tone of `sender` has been shown and played here.
    ///
    /// The width of the frames and the pitch identify the sender.
    func seesAndHears(
        _ sender: Mark, within limit: Duration = .seconds(20), sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        async let audio: Void = hears(sender, within: limit, sourceLocation: sourceLocation)
        async let video: Void = sees(sender, within: limit, sourceLocation: sourceLocation)
        _ = try await (audio, video)
    }

    func sees(
        _ sender: Mark, within limit: Duration = .seconds(20), sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = await call.report().statistics.video?.received
        try await eventually("\(call.user) sees \(sender.user)", within: limit, sourceLocation: sourceLocation) {
            guard let now = await self.call.report().statistics.video?.received else { return false }
            return now.width == sender.width && now.shown >= (before?.shown ?? 0) + 15
                && now.distinctFrames ?? 0 >= (before?.distinctFrames ?? 0) + 15
        }
    }

    func hears(
        _ sender: Mark, within limit: Duration = .seconds(20), sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = await call.report().statistics.audio?.received
        try await eventually("\(call.user) hears \(sender.user)", within: limit, sourceLocation: sourceLocation) {
            guard let now = await self.call.report().statistics.audio?.received, let hertz = now.toneHz else {
                return false
            }
            return abs(hertz - sender.hertz) < 0.02 * sender.hertz && now.shown >= (before?.shown ?? 0) + 25
                && now.decoded >= (before?.decoded ?? 0) + 24_000
        }
    }
}

/// Waits until the two ends of a call see and hear each other.
func expectMedia(
    _ first: (FollowedCall, Station), _ second: (FollowedCall, Station),
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    async let there: Void = first.0.seesAndHears(second.1.mark, sourceLocation: sourceLocation)
    async let back: Void = second.0.seesAndHears(first.1.mark, sourceLocation: sourceLocation)
    _ = try await (there, back)
}
