public import MediaEngine

extension Call {
    /// The engine's connection under this call, for the peer's pictures (`pictures(_:buffering:)`) and sound (`samples(buffering:)`).
    ///
    /// Another one after a change of media, with streams of its own; nil before there is one, and when the media is not the engine's.
    public var peerConnection: PeerConnection? {
        get async { await reported?.peerConnection }
    }

    /// The picture of the peer's that was shown last, as an image file.
    ///
    /// - Throws: ``CallError/media(_:)`` before the first is shown and after the end.
    public func snapshot(_ format: ImageFormat) async throws(CallError) -> [UInt8] {
        do throws(MediaError) {
            guard let connection = await peerConnection else { throw .noPicture }
            return try await connection.snapshot(format)
        } catch {
            throw .media(MediaSessionError(error))
        }
    }
}
