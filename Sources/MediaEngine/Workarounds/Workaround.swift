/// A workaround for a defect of `webrtcbin` or of the libraries below it.
///
/// Each is a file of this folder, with the upstream link and a test that fails when the installed version no longer needs it. It is off in versions
/// that do not need it: fixing a defect twice may break things.
protocol Workaround {
    /// The first release of GStreamer that needs it; nil if the defect is older than every supported release.
    static var brokenIn: GStreamerVersion? { get }
    /// The first release of GStreamer that no longer needs it; nil while there is none.
    ///
    /// Older minor versions with a backported fix are recognised by their own version number; a distribution's own patches are not seen.
    static var fixedIn: GStreamerVersion? { get }
}

extension Workaround {
    /// Whether the GStreamer of this process needs it.
    static var isNeeded: Bool { isNeeded(by: GStreamerLibrary.version) }

    /// Whether a release of GStreamer needs it.
    static func isNeeded(by version: GStreamerVersion) -> Bool {
        brokenIn.map { version >= $0 } ?? true && fixedIn.map { version < $0 } ?? true
    }

    static var brokenIn: GStreamerVersion? { nil }
}
