internal import CallAgent

/// Follows one call for the output.
enum CallWatch {
    /// Prints what happens to `call` until it ends, beginning with what happened before.
    ///
    /// - Parameter isQuiet: a person is told nothing but the progress.
    static func follow(_ call: Call, _ options: OutputOptions, isQuiet: Bool = false) -> Task<Void, Never> {
        let events = call.events
        return Task {
            let past = options.events ? await tellPast(of: call) : []
            let start = await call.report().timeline.start
            for await event in events {
                if options.events {
                    if case .reached(let stage, _) = event, past.contains(stage) { continue }
                    Output.event(EventDocument(event, of: call))
                } else if case .stateChanged(let change) = event {
                    Output.progress("\(call.peer): \(change.state.rawValue)")
                } else if !options.json, !isQuiet, let text = text(event) {
                    let time = NoticeLine.time((ContinuousClock.now - start).inMilliseconds)
                    Output.line("\(call.peer): \(time) \(text)")
                }
            }
        }
    }

    /// Waits until `call` is connected.
    ///
    /// - Returns: False when it ended before.
    static func untilConnected(_ call: Call) async -> Bool {
        for await event in call.events {
            if case .stateChanged(let change) = event, change.state == .connected { return true }
        }
        return false
    }

    /// Prints the stages that were reached before anybody could follow the call.
    private static func tellPast(of call: Call) async -> Set<CallTimeline.Stage> {
        let past = await call.report().timeline.milliseconds
        // Of stages at the same time, the one that comes first in a call that goes well.
        let stages = CallTimeline.Stage.allCases.enumerated().compactMap { place, stage in
            past[stage].map { (stage: stage, milliseconds: $0, place: place) }
        }
        for (stage, milliseconds, _) in stages.sorted(by: { ($0.milliseconds, $0.place) < ($1.milliseconds, $1.place) })
        {
            var event = EventDocument(.reached(stage, milliseconds: milliseconds), of: call)
            if stage == .invited { event.describe(call, media: await call.media) }
            Output.event(event)
        }
        return Set(past.keys)
    }

    private static func text(_ event: CallEvent) -> String? {
        switch event {
        case .notice(let notice): NoticeLine.text(notice)
        case .extensionData(let data): "the peer's data: " + pairs(data)
        case .eventsDropped(let count): "\(count) events were dropped; they came too fast"
        case .stateChanged, .reached, .attributesChanged, .statistics: nil
        }
    }

    static func pairs(_ data: [String: String]) -> String {
        data.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.printable)" }.joined(separator: ", ")
    }
}
