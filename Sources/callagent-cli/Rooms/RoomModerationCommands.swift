internal import ArgumentParser
internal import CallAgent
internal import MediaEngine
internal import RoomClient

/// A command that joins a room without media, does one thing and leaves.
protocol RoomActionCommand: AsyncParsableCommand, Sendable {
    var place: RoomOptions { get }
    var tokens: TokenOptions { get }
    var log: LogOptions { get }
    /// The file with the moderator's secret; nil: this command needs none.
    var secretFile: String? { get }
    func act(in membership: any RoomMembership) async throws(RoomError)
}

extension RoomActionCommand {
    func run() async throws {
        let engine = try place.engine(tokens, log)
        let entry = RoomEntry(
            room: place.room, displayName: place.displayName, pin: try place.enteredPin(),
            moderatorSecret: try secretFile.map { try TokenFile.read($0) })
        let command = self
        try await Interruption.handled {
            do throws(RoomError) {
                let membership = try await engine.join(entry)
                do throws(RoomError) {
                    try await command.act(in: membership)
                } catch {
                    await membership.leave()
                    throw error
                }
                await membership.leave()
            } catch {
                throw Failure(error)
            }
        }
    }
}

/// The moderator's secret, and whom a command is about.
struct ModerationOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The name of the participant, or its id; a name means all who have it.", valueName: "participant"))
    var participant: String

    @Option(
        help: ArgumentHelp("A file with the secret of the room's moderators.", valueName: "file"),
        completion: .file())
    var secretFile: String

    /// The participants that are meant: the one with this id, or all with this name.
    func chosen(in membership: any RoomMembership) throws(RoomError) -> [RoomParticipant] {
        let all = membership.participants
        let chosen = all.filter { $0.id == participant }
        let named = chosen.isEmpty ? all.filter { $0.displayName == participant } : chosen
        guard !named.isEmpty else { throw .noSuchParticipant(participant) }
        return named
    }
}

/// Which kinds of media a moderator mutes.
struct ModeratedKinds: ParsableArguments {
    @Flag(help: "The audio only.") var audioOnly = false
    @Flag(help: "The video only.") var videoOnly = false

    func validate() throws {
        guard !audioOnly || !videoOnly else {
            throw ValidationError("--audio-only and --video-only exclude each other")
        }
    }

    func setMuted(
        _ isMuted: Bool, _ options: ModerationOptions, in membership: any RoomMembership
    ) async throws(RoomError) {
        let kinds = MediaKind.allCases.filter { audioOnly ? $0 == .audio : videoOnly ? $0 == .video : true }
        let streams = try options.chosen(in: membership).flatMap { participant in
            participant.streams.filter { kinds.contains($0.kind) }.map { (participant.id, $0.mid) }
        }
        guard !streams.isEmpty else { throw .noSuchParticipant(options.participant) }
        for (id, mid) in streams { try await membership.setMuted(isMuted, mid: mid, of: id) }
    }
}

/// The command `callagent room mute`.
struct RoomMuteCommand: RoomActionCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute", abstract: "Mutes a participant for everybody, as a moderator.")

    @OptionGroup(title: "Room") var place: RoomOptions
    @OptionGroup(title: "Room") var moderation: ModerationOptions
    @OptionGroup(title: "Room") var kinds: ModeratedKinds
    @OptionGroup(title: "Room") var tokens: TokenOptions
    @OptionGroup(title: "Output") var log: LogOptions

    var secretFile: String? { moderation.secretFile }
    func act(in membership: any RoomMembership) async throws(RoomError) {
        try await kinds.setMuted(true, moderation, in: membership)
    }
}

/// The command `callagent room unmute`.
struct RoomUnmuteCommand: RoomActionCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmute", abstract: "Takes a moderator's mute back.")

    @OptionGroup(title: "Room") var place: RoomOptions
    @OptionGroup(title: "Room") var moderation: ModerationOptions
    @OptionGroup(title: "Room") var kinds: ModeratedKinds
    @OptionGroup(title: "Room") var tokens: TokenOptions
    @OptionGroup(title: "Output") var log: LogOptions

    var secretFile: String? { moderation.secretFile }
    func act(in membership: any RoomMembership) async throws(RoomError) {
        try await kinds.setMuted(false, moderation, in: membership)
    }
}

/// The command `callagent room kick`.
struct RoomKickCommand: RoomActionCommand {
    static let configuration = CommandConfiguration(
        commandName: "kick", abstract: "Removes a participant from a room, as a moderator.",
        discussion: "The participant may join again.")

    @OptionGroup(title: "Room") var place: RoomOptions
    @OptionGroup(title: "Room") var moderation: ModerationOptions
    @OptionGroup(title: "Room") var tokens: TokenOptions
    @OptionGroup(title: "Output") var log: LogOptions

    var secretFile: String? { moderation.secretFile }
    func act(in membership: any RoomMembership) async throws(RoomError) {
        for participant in try moderation.chosen(in: membership) { try await membership.kick(participant.id) }
    }
}

/// The command `callagent room who`.
struct RoomWhoCommand: RoomActionCommand {
    static let configuration = CommandConfiguration(
        commandName: "who", abstract: "Lists who publishes in a room: id, name and media.",
        discussion: "The server lists those who only watch if the room is configured so (notify_joining).")

    @OptionGroup(title: "Room") var place: RoomOptions
    @OptionGroup(title: "Room") var tokens: TokenOptions
    @OptionGroup(title: "Output") var log: LogOptions

    var secretFile: String? { nil }
    func act(in membership: any RoomMembership) async throws(RoomError) {
        if membership.participants.isEmpty { Output.error("nobody publishes in the room") }
        for participant in membership.participants.sorted(by: { $0.displayName < $1.displayName }) {
            let media = participant.streams.map { $0.kind.rawValue + ($0.isMuted ? " (muted)" : "") }
            Output.line(
                "\(participant.id.printable)  \(participant.displayName.printable)  \(media.joined(separator: " "))"
                    .trimmed)
        }
    }
}

extension String {
    fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
