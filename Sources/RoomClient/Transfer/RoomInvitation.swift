public import CallAgent
internal import FoundationEssentials

/// Where a call goes on with more than two parties: a room on a media server.
///
/// An invite carries it in its extension data, under ``extensionKey``; ``Room/transfer(_:inviting:within:)`` sends it in a call. The signaling server can read it, with
/// the PIN. Whoever gets one decides whether to follow: it comes from the peer, and names a server to connect to.
public struct RoomInvitation: Sendable, Equatable, Codable {
    /// The URL of the media server, such as `wss://rooms.example.org/janus`.
    public var server: String
    /// The name or number of the room.
    public var room: String
    /// The PIN of the room; nil where it has none.
    public var pin: String?

    /// The key of an invitation in the extension data of an invite.
    public static let extensionKey = "room"

    /// Names a room.
    public init(server: String, room: String, pin: String? = nil) {
        (self.server, self.room, self.pin) = (server, room, pin)
    }

    /// The invitation in the extension data of an invite; nil if there is none that can be read.
    public init?(extensionData data: [String: String]) {
        guard let text = data[Self.extensionKey], let invitation = RoomTransferMessage.decoded(Self.self, text),
            SignalingLimits.isName(invitation.room)
        else { return nil }
        self = invitation
    }

    /// The invitation in an application message of a call (`CallNotice.info`); nil if it is none.
    public init?(info content: String) {
        guard case .invitation(let invitation)? = RoomTransferMessage(content) else { return nil }
        self = invitation
    }

    /// What an invite carries to name this room.
    public var extensionData: [String: String] { [Self.extensionKey: RoomTransferMessage.encoded(self)] }
}

extension RoomInvitation {
    /// Tells the peer of a call that this end does not go on in the room; the call stays.
    ///
    /// Does nothing when the call has ended.
    public func refuse(on call: Call, text: String) async {
        try? await call.send(info: RoomTransferMessage.refused(text: text).content)
    }

    /// Extension data without the PIN of an invitation in it, for logs and events.
    public static func withoutPIN(_ data: [String: String]) -> [String: String] {
        guard var invitation = RoomInvitation(extensionData: data), invitation.pin != nil else { return data }
        invitation.pin = nil
        return data.merging(invitation.extensionData) { $1 }
    }

    /// An application message without the PIN of an invitation in it, for logs and events.
    public static func withoutPIN(info content: String) -> String {
        guard var invitation = RoomInvitation(info: content), invitation.pin != nil else { return content }
        invitation.pin = nil
        return RoomTransferMessage.invitation(invitation).content
    }

    /// Whether an application message of a call belongs to its transfer into a room.
    public static func isTransfer(info content: String) -> Bool { RoomTransferMessage(content) != nil }
}
