/// A mend for something that `webrtcbin` does wrong.
///
/// Each lives in a file of this folder, with the upstream link, and has a test that fails when the installed version no longer needs it.
protocol Workaround {
    /// The minor version of GStreamer 1 that mended it upstream; nil while none has.
    static var mendedIn: Int? { get }
}

extension Workaround {
    /// Whether the GStreamer of this process needs it.
    static var isNeeded: Bool {
        guard let mendedIn else { return true }
        return GStreamerLibrary.minorVersion < mendedIn
    }
}
