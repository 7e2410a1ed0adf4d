public import CallProtocol

/// The own end of the next call, which is built before there is one.
public struct JoinAhead: Sendable, Equatable {
    /// What the call has.
    public var media: CallMedia
    /// Whether it is for a call that is placed, one that comes in, or one of each.
    ///
    /// For a call that is placed the offer is made and its candidates are gathered; for one that comes in the pipeline is built.
    public var roles: Set<CallRole>

    /// Takes what the call is to be.
    public init(media: CallMedia = .audioVideo, roles: Set<CallRole> = [.caller]) {
        self.media = media
        self.roles = roles
    }
}
