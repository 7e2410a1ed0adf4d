/// A mend for something that `webrtcbin`, or what it stands on, does wrong.
///
/// Each lives in a file of this folder, with the upstream link, and has a test that fails when the installed version no longer needs it. It is off
/// in the versions that do not: what is mended twice may break.
protocol Workaround {
    /// The first release of GStreamer that needs it; nil for those before all that this runs on.
    static var brokenIn: GStreamerVersion? { get }
    /// The first release of GStreamer that does not need it any more; nil while there is none.
    ///
    /// Releases of an older minor version that got the same change are told by their own number, so a distribution's own patches are not seen.
    static var mendedIn: GStreamerVersion? { get }
}

extension Workaround {
    /// Whether the GStreamer of this process needs it.
    static var isNeeded: Bool { isNeeded(by: GStreamerLibrary.version) }

    /// Whether a release of GStreamer needs it.
    static func isNeeded(by version: GStreamerVersion) -> Bool {
        brokenIn.map { version >= $0 } ?? true && mendedIn.map { version < $0 } ?? true
    }

    static var brokenIn: GStreamerVersion? { nil }
}
