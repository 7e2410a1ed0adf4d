internal import CallAgent
internal import RoomClient

/// Prints the events of one call.
enum CallWatch {
    /// Prints the events of `call` until it ends, including past ones.
    ///
    /// On a terminal a line shows the state and the rates meanwhile.
    ///
    /// - Parameter isQuiet: print nothing for a person but that line.
    static func follow(_ call: Call, _ options: OutputOptions, isQuiet: Bool = false) -> Task<Void, Never> {
        let events = call.events
        return Task {
            let past = options.events ? await reportPast(of: call) : []
            let start = await call.report().timeline.start
            var live = LiveLine(peer: call.peer)
            // The call's id changes when both users call each other.
            let name = call.id
            defer { StatusLine.show(nil, for: name) }
            for await event in events {
                if options.events {
                    if case .reached(let stage, _) = event, past.contains(stage) { continue }
                    Output.event(EventDocument(event, of: call))
                    continue
                }
                live.note(event)
                StatusLine.show(live.text, for: name)
                if !options.json, !isQuiet, let text = text(event, peer: call.peer) {
                    let time = NoticeLine.time((ContinuousClock.now - start).inMilliseconds)
                    Output.line("\(call.peer): \(time) \(text)")
                }
            }
        }
    }

    /// Prints the stages that the call reached before it was followed.
    private static func reportPast(of call: Call) async -> Set<CallTimeline.Stage> {
        let past = await call.report().timeline.milliseconds
        // Stages at the same time are sorted in the order of a successful call.
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

    private static func text(_ event: CallEvent, peer: String) -> String? {
        switch event {
        // `CallTransfers` says what becomes of it.
        case .notice(.info(let content)) where RoomInvitation.isTransfer(info: content): nil
        case .notice(let notice): NoticeLine.text(notice, peer: peer)
        case .extensionData(let data):
            pairs(data).isEmpty ? nil : "the peer's data: " + pairs(data)
        case .eventsDropped(let count): "\(count) events were dropped; they came too fast"
        case .stateChanged, .reached, .attributesChanged, .statistics: nil
        }
    }

    static func pairs(_ data: [String: String]) -> String {
        // The PIN of a room is for the program alone.
        let data = data.filter { $0.key != RoomInvitation.extensionKey || RoomInvitation(extensionData: data) == nil }
        return data.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.printable)" }.joined(separator: ", ")
    }
}
