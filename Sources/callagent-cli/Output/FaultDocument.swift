internal import CallAgent

/// Why a camera or microphone gives nothing, or what else of the media failed, as `--events` has it.
///
/// Names may be added, never changed.
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
