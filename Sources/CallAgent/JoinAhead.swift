public import CallProtocol

/// This end of the next call, built before there is a call.
public struct JoinAhead: Sendable, Equatable {
    /// The media of the call.
    public var media: CallMedia
    /// Whether to build for an outgoing call, an incoming call, or one of each.
    ///
    /// For an outgoing call, the offer is made and its candidates are gathered. For an incoming call, the pipeline is built.
    public var roles: Set<CallRole>

    /// Sets the media and the roles.
    public init(media: CallMedia = .audioVideo, roles: Set<CallRole> = [.caller]) {
        self.media = media
        self.roles = roles
    }
}
