internal import CallAgent
internal import MediaEngine
internal import RoomClient

/// A stay in a room: prints what happens there, and follows each connection as a call.
struct RoomVisit: Sendable {
    /// What came of it.
    struct Result {
        /// The connections that ended, in this order.
        var outcomes: [CallOutcome]
        /// Why the stay ended before its time, or never began.
        var failure: Failure?
    }

    let room: Room
    let output: OutputOptions
    /// How the call that carries what is published is followed.
    let publishing: CallAttendance
    /// How the calls of the participants are followed.
    let receiving: CallAttendance

    /// Whether the stay ends when the last other participant is gone; nil: it never does.
    let leavesWhenAlone: (@Sendable () async -> Bool)?
    /// Who is called into the room; nil: nobody.
    let inviting: RoomInviting?

    /// How many former connections the report has.
    private static let kept = 1_000

    /// Follows the calls of a room as these options say; `script` acts on what is published.
    init(
        room: Room, output: OutputOptions, source: SourceOptions?, sink: SinkOptions, script: ScriptOptions? = nil,
        network: NetworkEmulator? = nil,
        inviting: RoomInviting? = nil, leavesWhenAlone: (@Sendable () async -> Bool)? = nil
    ) {
        (self.room, self.output) = (room, output)
        (self.leavesWhenAlone, self.inviting) = (leavesWhenAlone, inviting)
        // The room sends nothing itself, which need not be said.
        publishing = CallAttendance(
            output: output, source: source, sink: nil, script: script, network: network, stay: room, isBrief: true,
            isQuiet: true)
        receiving = CallAttendance(output: output, source: nil, sink: sink, script: nil, isBrief: true)
    }

    /// Joins, stays until `limit` has passed, the room is over, or the task is cancelled, and leaves.
    func stay(for limit: Duration?) async -> Result {
        let events = room.events
        do throws(RoomError) {
            try await room.join()
        } catch {
            await room.leave()
            return Result(outcomes: [], failure: Failure(error))
        }
        let timer = Task {
            guard let limit, (try? await Task.sleep(for: limit)) != nil else { return }
            await room.leave()
        }
        return await withTaskCancellationHandler {
            let result = await follow(events)
            timer.cancel()
            return result
        } onCancel: {
            Task { await room.leave() }
        }
    }

    /// Follows a room that this end has joined, until that is over.
    func follow(_ events: AsyncStream<RoomEvent>) async -> Result {
        let log = OutcomeLog(keeping: Self.kept)
        // Not cancelled with this task: what this end hangs up belongs to the report.
        let following = Task {
            var failure: Failure?
            var hasReceived = false
            let calling = Task { () -> Failure? in
                let failure = await inviting?.run(room, log)
                if inviting != nil, await isAlone { await room.leave() }
                return failure
            }
            await withDiscardingTaskGroup { group in
                for await event in events {
                    RoomLine.report(event, room, output)
                    switch event {
                    case .publishing(let call): group.addTask { await attend(call, publishing, log) }
                    case .receiving(_, let call):
                        hasReceived = true
                        group.addTask { await attend(call, receiving, log) }
                    case .ended(let error): failure = Failure(error)
                    case .notPublished(let text) where !room.reconnects:
                        failure = Failure(.notAnswered, "nothing is published: \(text.printable)")
                        await room.leave()
                    case .notReceived(let participant, let text) where !room.reconnects:
                        failure = failure ?? Self.missing(participant, text)
                    default: break
                    }
                    // Not when the connection is lost: those who were there may be there again.
                    guard event.isAboutParticipant, hasReceived else { continue }
                    if let leavesWhenAlone, await leavesWhenAlone(), await isAlone { await room.leave() }
                }
                calling.cancel()
                await room.leave()
            }
            let uninvited = await calling.value
            return failure ?? uninvited
        }
        let failure = await following.value
        return Result(outcomes: log.outcomes, failure: failure)
    }

    /// Whether nobody else publishes.
    private var isAlone: Bool { get async { await room.participants.allSatisfy(\.streams.isEmpty) } }

    private static func missing(_ participant: RoomParticipant, _ text: String) -> Failure {
        Failure(.noMedia, "nothing is received of \(participant.displayName.printable): \(text.printable)")
    }

    private func attend(_ call: Call, _ attendance: CallAttendance, _ log: OutcomeLog) async {
        let outcome = await attendance.attend(call) {}
        if !output.json, !output.events { Output.line(MediaLines.summary(outcome.report)) }
        log.append(outcome)
    }
}

extension RoomEvent {
    /// Whether a participant came, went, or publishes something else.
    fileprivate var isAboutParticipant: Bool {
        switch self {
        case .left, .present: true
        default: false
        }
    }
}

/// Prints what happens in a room.
enum RoomLine {
    static func report(_ event: RoomEvent, _ room: Room, _ output: OutputOptions) {
        if output.events {
            if let document = EventDocument(event, in: room) { Output.event(document) }
        } else if !output.json, let text = text(event, room) {
            Output.line("\(room.name): \(text)")
        }
    }

    private static func text(_ event: RoomEvent, _ room: Room) -> String? {
        switch event {
        case .joined(_, let participants):
            let names = participants.map(\.displayName.printable).sorted().joined(separator: ", ")
            return "joined as \(room.displayName)" + (names.isEmpty ? "; nobody is there" : "; there are: \(names)")
        case .present(let participant):
            let kinds = participant.streams.map(\.kind.rawValue)
            let media = kinds.isEmpty ? "nothing" : kinds.joined(separator: " and ")
            return "\(participant.displayName.printable) publishes \(media)"
        case .publishing, .receiving: return nil
        case .left(let participant, let wasKicked):
            return "\(participant.displayName.printable) \(wasKicked ? "was removed" : "left")"
        case .notPublished(let text): return "nothing is published: \(text.printable)"
        case .notReceived(let participant, let text):
            return "nothing is received of \(participant.displayName.printable): \(text.printable)"
        case .speaking(let participant, let isSpeaking):
            return "\(participant.displayName.printable) \(isSpeaking ? "speaks" : "is silent")"
        case .muted(let participant, let kind, let isMuted):
            let name = participant?.displayName.printable ?? "this end"
            return "a moderator \(isMuted ? "muted" : "unmuted") the \(kind?.rawValue ?? "media") of \(name)"
        case .lost(let text): return "the connection is lost: \(text.printable); joining again"
        case .ended: return nil
        }
    }
}

extension EventDocument {
    /// Nil for calls, whose own events say that they are there.
    fileprivate init?(_ event: RoomEvent, in room: Room) {
        switch event {
        case .joined(_, let participants):
            self.init("roomJoined", of: room.displayName)
            names = participants.map(\.displayName).sorted()
        case .present(let participant):
            self.init("participantPresent", of: room.displayName)
            fill(participant)
        case .left(let participant, let wasKicked):
            self.init(wasKicked ? "participantRemoved" : "participantLeft", of: room.displayName)
            fill(participant)
        case .speaking(let participant, let isSpeaking):
            self.init(isSpeaking ? "speaking" : "silent", of: room.displayName)
            fill(participant)
        case .muted(let participant, let kind, let isMuted):
            self.init(isMuted ? "moderatorMuted" : "moderatorUnmuted", of: room.displayName)
            if let participant { fill(participant) } else { peer = room.displayName }
            self.kind = kind?.rawValue
        case .notPublished(let text): self.init("notPublished", of: room.displayName, text: text)
        case .notReceived(let participant, let text):
            self.init("notReceived", of: room.displayName, text: text)
            fill(participant)
        case .lost(let text): self.init("roomLost", of: room.displayName, text: text)
        case .ended(let error): self.init("roomEnded", of: room.displayName, text: error.description)
        case .publishing, .receiving: return nil
        }
        self.room = room.name
    }

    private mutating func fill(_ participant: RoomParticipant) {
        peer = participant.displayName
        media = CallMedia(
            audio: participant.streams.contains { $0.kind == .audio },
            video: participant.streams.contains { $0.kind == .video })
    }
}
