internal import ArgumentParser

/// The command `callagent room`.
struct RoomCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "room", abstract: "Takes part in a room on a media server (Janus VideoRoom).",
        discussion: "docs/rooms.md describes what the server has to have.",
        subcommands: [
            RoomJoinCommand.self, RoomWatchCommand.self, RoomWhoCommand.self, RoomMuteCommand.self,
            RoomUnmuteCommand.self, RoomKickCommand.self,
        ])
}
