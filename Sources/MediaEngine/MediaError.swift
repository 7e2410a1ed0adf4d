/// What can go wrong in the media engine.
///
/// Each case keeps the element and GStreamer's own words, and its description says what the user can do.
public enum MediaError: Error, Sendable, Equatable {
    /// GStreamer itself cannot be used.
    case libraryUnusable(text: String)
    /// An element is not installed.
    case pluginMissing(element: String)
    /// An element of the installed version lacks a property.
    case unknownProperty(object: String, property: String)
    /// A property does not take this value.
    case invalidProperty(object: String, property: String, value: String)
    /// An element lacks a pad.
    case noPad(element: String, pad: String)
    /// Two elements do not fit together.
    case linkFailed(from: String, to: String, reason: String)
    /// An element did not change state, for instance because its device is busy.
    case stateChangeFailed(element: String, state: String)
    /// An element stopped with an error.
    case elementFailed(element: String, message: String, debug: String)
    /// A source gives no data, or has stopped: its name, the fault, and GStreamer's own words.
    case sourceFailed(source: String, fault: SourceFault, text: String)
    /// A recording cannot be written, or no longer; the call continues without it.
    case recordingFailed(path: String, text: String)
    /// A sink cannot show or play, or no longer: its name, and GStreamer's own words.
    case sinkFailed(sink: String, text: String)
    /// There is no frame yet for a snapshot.
    case noFrame
    /// A snapshot could not be made.
    case snapshotFailed(text: String)
    /// A pipeline description cannot be used: its file, the line number (from 1) if it is known, and GStreamer's own words.
    case invalidPipelineDescription(name: String, line: Int?, text: String)
    /// There is no pipeline description of this name and role.
    case unknownPipelineDescription(name: String, known: [String])
    /// The requested source, codec or sink does not exist.
    case unknownChoice(kind: String, value: String, known: [String])
    /// A session description is malformed or cannot be used; `line` counts from 1.
    case invalidSDP(line: Int?, text: String)
    /// An offer has no codec that this end can use for one of its m-lines.
    case noCommonCodec(media: String)
    /// An answer chose a codec, or a payload type for it, that was not offered.
    case codecNotOffered(media: String)
    /// A STUN or TURN server cannot be used.
    case invalidIceServer(url: String, text: String)
    /// A candidate is malformed.
    case invalidCandidate(text: String)
    /// An operation is not possible now, or `webrtcbin` refused it.
    case rejected(operation: String, text: String)
    /// The element went away before it answered.
    case expired(operation: String)
    /// The peer's DTLS certificate does not have the fingerprint that its SDP names (RFC 8122).
    case fingerprintMismatch(expected: String, actual: String)
    /// The transport to the peer failed: no candidate pair works.
    case transportFailed(text: String)
    /// An operation timed out.
    case timedOut(operation: String, seconds: Double)
    /// The object is closed, or was closed during the operation.
    case closed
}

extension MediaError: CustomStringConvertible {
    /// One line: what, why and what to do.
    public var description: String {
        switch self {
        case .libraryUnusable(let text): "GStreamer cannot be used: \(text)"
        case .pluginMissing(let element):
            "the GStreamer element '\(element)' is missing; \(DebianPackage.advice(forElement: element))"
        case .unknownProperty(let object, let property):
            "the installed \(object) has no property '\(property)'; check the pipeline description or update GStreamer"
        case .invalidProperty(let object, let property, let value):
            "'\(value)' is no value for the property '\(property)' of \(object); see gst-inspect-1.0"
        case .noPad(let element, let pad): "\(element) has no pad '\(pad)'"
        case .linkFailed(let from, let to, let reason): "cannot link \(from) to \(to): \(reason)"
        case .stateChangeFailed(let element, let state):
            "\(element) did not go to the state \(state); is its device there and free?"
        case .elementFailed(let element, let message, let debug):
            "\(element) failed: \(message)" + (debug.isEmpty ? "" : " (\(debug.split(separator: "\n").last ?? ""))")
        case .sourceFailed(let source, let fault, let text):
            "the source '\(source)' failed (\(fault.rawValue)): \(text); \(fault.advice(for: source))"
        case .recordingFailed(let path, let text): "'\(path)' is not recorded: \(text)"
        case .sinkFailed(let sink, let text): "the sink '\(sink)' failed: \(text)"
        case .noFrame: "there is no frame yet"
        case .snapshotFailed(let text): "the snapshot could not be made: \(text)"
        case .invalidPipelineDescription(let name, let line, let text):
            "the pipeline description \(name)\(line.map { ":\($0)" } ?? "") cannot be used: \(text)"
        case .unknownPipelineDescription(let name, let known):
            "there is no pipeline description '\(name)'; known are \(known.joined(separator: ", "))"
        case .unknownChoice(let kind, let value, let known):
            "'\(value)' is no \(kind); use one of \(known.joined(separator: ", "))"
        case .invalidSDP(let line, let text):
            "the session description cannot be used\(line.map { " (line \($0))" } ?? ""): \(text)"
        case .noCommonCodec(let media): "the peer offers no \(media) codec that this end can use"
        case .codecNotOffered(let media): "the peer answers with no \(media) codec that was offered to it"
        case .invalidIceServer("", let text): text
        case .invalidIceServer(let url, let text): "the ICE server '\(url)' cannot be used: \(text)"
        case .invalidCandidate(let text): "the ICE candidate is malformed: \(text)"
        case .rejected(let operation, let text): "\(operation) is not possible: \(text)"
        case .expired(let operation): "\(operation) was not answered: the peer connection was closed meanwhile"
        case .fingerprintMismatch(let expected, let actual):
            "the peer's DTLS certificate has the fingerprint \(actual), its SDP says \(expected): possibly a man in the middle"
        case .transportFailed(let text): "no connection to the peer: \(text)"
        case .timedOut(let operation, let seconds): "\(operation) took longer than \(seconds) s"
        case .closed: "the peer connection is closed"
        }
    }
}
