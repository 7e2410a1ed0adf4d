import CGStreamer
import Foundation

/// GLib's table of names (quarks).
enum NameTable {
    /// How many names it has; adds one.
    static func count() -> Int { Int(g_quark_from_string(UUID().uuidString)) }
}
