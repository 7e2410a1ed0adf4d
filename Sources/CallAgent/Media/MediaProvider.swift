public import CallProtocol

/// Makes the media of calls, and opens and closes what they share.
public protocol MediaProvider: Sendable {
    /// Warms up and opens what is to be open between calls. Legal whenever no call runs.
    func prepare() async throws(MediaSessionError)
    /// The media for a new peer connection, of which this end makes the offer when it is the caller.
    func makeSession(label: String, media: CallMedia, role: CallRole) async throws(MediaSessionError)
        -> any MediaSession
    /// Takes over STUN and TURN servers that signaling handed out, for sessions that are made from now on.
    func use(_ servers: [IceServer]) async
    /// Closes what ``prepare()`` opened.
    func release() async
}

extension MediaProvider {
    /// Does nothing.
    public func use(_ servers: [IceServer]) async {}
}
