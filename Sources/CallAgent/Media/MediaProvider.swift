/// Makes the media of calls, and opens and closes what they share.
public protocol MediaProvider: Sendable {
    /// Warms up and opens what is to be open between calls. Legal whenever no call runs.
    func prepare() async throws(MediaSessionError)
    /// The media for a new peer connection.
    func makeSession(label: String, media: CallMedia) async throws(MediaSessionError) -> any MediaSession
    /// Closes what ``prepare()`` opened.
    func release() async
}
