/// What happens to a source while it is used.
enum CaptureChange: Sendable, Equatable {
    /// It gives nothing any more; a test picture or silence takes its place until it is back.
    case lost(MediaError)
    /// It is back.
    case restored
}
