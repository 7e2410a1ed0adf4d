internal import CallAgent
internal import RoomClient
internal import Synchronization

/// The calls by which a participant brings users into its room.
final class RoomInviting: Sendable {
    /// How it calls; prepared.
    let agent: Agent
    private let users: [String]
    private let invitation: RoomInvitation
    private let media: CallMedia
    private let attendance: CallAttendance
    private let waiting: Mutex<Int>

    init(
        _ users: [String], to invitation: RoomInvitation, with agent: Agent, media: CallMedia,
        attendance: CallAttendance
    ) {
        (self.users, self.invitation, self.agent) = (users, invitation, agent)
        (self.media, self.attendance) = (media, attendance)
        waiting = Mutex(users.count)
    }

    /// Whether somebody may still come.
    var isUnderWay: Bool { waiting.withLock { $0 > 0 } }

    /// Calls all users at once; returns when each one is in the room or does not come.
    ///
    /// Cancelling it hangs up.
    func run(_ room: Room, _ log: OutcomeLog) async -> Failure? {
        await withTaskGroup(of: Failure?.self) { group in
            for user in users { group.addTask { await self.invite(user, room, log) } }
            var failure: Failure?
            for await next in group { failure = failure ?? next }
            return failure
        }
    }

    private func invite(_ user: String, _ room: Room, _ log: OutcomeLog) async -> Failure? {
        defer { waiting.withLock { $0 -= 1 } }
        do throws(CallError) {
            let call = try await agent.call(user, media: media, extension: invitation.extensionData)
            let transfer = Task { () -> RoomError? in
                do throws(RoomError) {
                    try await room.transfer(call)
                    return nil
                } catch {
                    // In the call it would meet nobody but this end.
                    await call.hangUp(text: error.description)
                    return error
                }
            }
            let outcome = await attendance.attend(call) {}
            log.append(outcome)
            guard let error = await transfer.value, outcome.failure == nil, !Task.isCancelled else { return nil }
            return Failure(.notAnswered, "\(user): \(error.description.printable)")
        } catch {
            return Task.isCancelled ? nil : Failure(error)
        }
    }
}
