public import CallAgent

/// How a participant takes part in a room.
public struct RoomConfiguration: Sendable {
    /// The media, timeouts, hooks and measurements of its connections: each one is a call.
    ///
    /// `maximumCalls`, `screenInvite` and `joinsAhead` have no effect.
    public var agent: AgentConfiguration
    /// What is published; nil: the participant only watches.
    public var publishes: CallMedia?
    /// How what is published is sent at the beginning: muted, for example.
    public var sends = MediaState()
    /// Whether the audio of participants is played; ``Call/setOutput(_:)`` changes it for each.
    public var playsAudio = true
    /// Which participants are received; all by default.
    public var receives: @Sendable (RoomParticipant) -> Bool = { _ in true }
    /// Whether the video is published in three layers, in whole, half and a quarter of its width and height, so that the server can choose one for each
    /// receiver (simulcast).
    ///
    /// `MediaConfiguration.videoBitrateKbit` is that of the largest one; the others add about half of it.
    public var publishesLayers = false
    /// What is received of participants that publish several layers; ``Room/setLayer(_:)`` changes it, ``Room/setLayer(_:of:)`` for one.
    public var layer = SimulcastLayer.high
    /// Whether a lost connection is made again, after 1 s to 30 s, until ``Room/leave()``.
    public var reconnects = true
    /// How many participants are received at most; further ones are not subscribed to.
    public var maximumReceived = 50

    /// Publishes `media` with these settings.
    public init(_ agent: AgentConfiguration = AgentConfiguration(), publishes media: CallMedia? = .audioVideo) {
        (self.agent, publishes) = (agent, media)
    }
}
