internal import CGStreamer
internal import Foundation

/// GStreamer and GLib as libraries of this process.
enum GStreamerLibrary {
    /// Loads the library and starts the one GLib main loop of the process.
    ///
    /// Blocks for 10-300 ms at first use. Some elements (device monitors, audio services) rely on a running default main context, so one thread runs
    /// it; the engine itself does not depend on it. A lazy static is started once, whatever the number of callers.
    static func initialize() throws(MediaError) {
        if let text = failure { throw .libraryUnusable(text: text) }
    }

    /// See ``Engine/limitMallocArenas(to:)``.
    static func limitMallocArenas(to count: Int) { mallopt(M_ARENA_MAX, CInt(clamping: count)) }

    /// Returns freed memory to the system.
    ///
    /// A call's many threads leave freed pages in as many arenas of glibc's malloc, and these would grow from call to call. Takes each arena's lock
    /// for some ms.
    static func returnFreeMemory() { malloc_trim(0) }

    /// Ends the library permanently, so that its leaks tracer reports.
    static func deinitialize() { gst_deinit() }

    private static let failure: String? = {
        var error: UnsafeMutablePointer<GError>?
        guard gst_init_check(nil, nil, &error) != 0 else {
            defer { g_clear_error(&error) }
            return error.map { String(cString: $0.pointee.message) } ?? "gst_init failed"
        }
        let thread = Thread {
            let loop = g_main_loop_new(nil, 0)
            g_main_loop_run(loop)
        }
        thread.name = "glib-main"
        thread.start()
        return nil
    }()

    /// The loaded version, which may be newer than the one at build time.
    static var version: GStreamerVersion {
        var (major, minor, micro, nano): (guint, guint, guint, guint) = (0, 0, 0, 0)
        gst_version(&major, &minor, &micro, &nano)
        return GStreamerVersion(Int(major), Int(minor), Int(micro))
    }

    /// The version of the plugin that contains an element; nil when there is none.
    static func pluginVersion(ofElement factory: String) -> String? {
        guard let found = gst_element_factory_find(factory) else { return nil }
        defer { gst_object_unref(UnsafeMutableRawPointer(found)) }
        guard let plugin = gst_plugin_feature_get_plugin(found) else { return nil }
        defer { gst_object_unref(UnsafeMutableRawPointer(plugin)) }
        return gst_plugin_get_version(plugin).map { String(cString: $0) }
    }

    static func hasElement(_ factory: String) -> Bool {
        guard let found = gst_element_factory_find(factory) else { return false }
        gst_object_unref(UnsafeMutableRawPointer(found))
        return true
    }

    /// The digest of `bytes` in hexadecimal; nil for an algorithm that GLib lacks.
    static func digest(_ algorithm: FingerprintAlgorithm, of bytes: [UInt8]) -> String? {
        let type: GChecksumType =
            switch algorithm {
            case .sha1: G_CHECKSUM_SHA1
            case .sha256: G_CHECKSUM_SHA256
            case .sha384: G_CHECKSUM_SHA384
            case .sha512: G_CHECKSUM_SHA512
            }
        guard let text = g_compute_checksum_for_data(type, bytes, gsize(bytes.count)) else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }
}

/// A release of GStreamer.
struct GStreamerVersion: Comparable, CustomStringConvertible, Sendable {
    let major: Int
    let minor: Int
    let micro: Int

    init(_ major: Int, _ minor: Int, _ micro: Int = 0) { (self.major, self.minor, self.micro) = (major, minor, micro) }

    static func < (first: GStreamerVersion, second: GStreamerVersion) -> Bool {
        (first.major, first.minor, first.micro) < (second.major, second.minor, second.micro)
    }

    var description: String { "\(major).\(minor).\(micro)" }
}
