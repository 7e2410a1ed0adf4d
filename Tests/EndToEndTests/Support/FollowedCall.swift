import Synchronization
import Testing

@testable import CallAgent

/// Everything that a stream gave so far.
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

/// A call and what it told since this end has it.
final class FollowedCall: Sendable {
    let call: Call
    let events: Trail<CallEvent>

    init(_ call: Call) {
        self.call = call
        events = Trail(call.events)
    }

    /// The states that it went through.
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

    /// Waits for the end, which has to be this one.
    func ends(
        _ reasons: EndReason..., within limit: Duration = .seconds(20),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await reaches(.ended, within: limit, sourceLocation: sourceLocation)
        let reason = try #require(await call.end, sourceLocation: sourceLocation).reason
        #expect(reasons.contains(reason), "\(call.user): \(reason)", sourceLocation: sourceLocation)
    }

    /// Waits until half a second of new pictures of `sender`'s that move was shown here, and as much of its tone was heard.
    ///
    /// Whose they are is told by their width and pitch.
    func seesAndHears(
        _ sender: Mark, within limit: Duration = .seconds(20), sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await hears(sender, within: limit, sourceLocation: sourceLocation)
        try await sees(sender, within: limit, sourceLocation: sourceLocation)
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

/// Two ends of a call see and hear each other.
func expectMedia(
    _ first: (FollowedCall, Station), _ second: (FollowedCall, Station),
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    try await first.0.seesAndHears(second.1.mark, sourceLocation: sourceLocation)
    try await second.0.seesAndHears(first.1.mark, sourceLocation: sourceLocation)
}
