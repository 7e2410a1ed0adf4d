/// A change of a source while it is in use.
enum CaptureChange: Sendable, Equatable {
    /// The source failed; a test pattern or silence replaces it until it is back.
    case lost(MediaError)
    /// The source is back.
    case restored
}
