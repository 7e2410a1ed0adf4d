internal import CallAgent

/// Why a camera or microphone gives nothing, as `--events` has it.
///
/// Names may be added, never changed.
struct FaultDocument: Encodable {
    let cause: String
    let source: String?
    let text: String
    let remedy: String?

    init(_ fault: CaptureFault) {
        (cause, source, text) = (fault.cause.rawValue, fault.source, fault.text)
        remedy = fault.remedy.isEmpty ? nil : fault.remedy
    }
}
