internal import CallAgent

/// The media that both ends of a call send, as `--events` has it.
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
            (width, height) = (end.frameSize?.width, end.frameSize?.height)
            aspectRatio = end.frameSize?.aspectRatio.rounded(toPlaces: 4)
        }
    }

    let local: End
    let remote: End

    init(_ attributes: MediaAttributes) { (local, remote) = (End(attributes.local), End(attributes.remote)) }
}

/// Why a source delivers nothing, or why another part of the media failed, as `--events` has it.
struct FaultDocument: Encodable {
    let cause: String
    var source: String?
    /// `sending` or `receiving`.
    var direction: String?
    var element: String?
    let text: String
    let remedy: String?

    init(_ fault: CaptureFault) {
        (cause, source, text) = (fault.cause.rawValue, fault.source, fault.text)
        remedy = fault.remedy.isEmpty ? nil : fault.remedy
    }

    init(_ fault: TrackFault) {
        (cause, text, remedy) = ("elementFailed", fault.text, fault.remedy)
        (direction, element) = (fault.direction.rawValue, fault.element)
    }
}
