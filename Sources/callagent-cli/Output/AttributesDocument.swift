internal import CallAgent

/// What both ends of a call send, as `--events` has it.
///
/// Names may be added, never changed.
struct AttributesDocument: Encodable {
    struct End: Encodable {
        let audio: MediaState.Sending
        let video: MediaState.Sending
        let audioSource: String?
        let videoSource: String?
        let width: Int?
        let height: Int?
        let aspectRatio: Double?

        init(_ end: MediaAttributes.End) {
            (audio, video) = (end.audio, end.video)
            (audioSource, videoSource) = (end.audioSource, end.videoSource)
            (width, height) = (end.picture?.width, end.picture?.height)
            aspectRatio = end.picture?.aspectRatio.rounded(toPlaces: 4)
        }
    }

    let local: End
    let remote: End

    init(_ attributes: MediaAttributes) { (local, remote) = (End(attributes.local), End(attributes.remote)) }
}
