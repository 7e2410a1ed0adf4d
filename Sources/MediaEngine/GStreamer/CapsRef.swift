internal import CGStreamer

/// One reference to GstCaps, the format of data.
final class CapsRef: Sendable {
    // Caps are reference counted atomically, and caps in use are never written to.
    nonisolated(unsafe) let pointer: UnsafeMutablePointer<GstCaps>

    /// Takes over a reference that the caller owns.
    init(owning pointer: UnsafeMutablePointer<GstCaps>) { self.pointer = pointer }

    deinit { gst_mini_object_unref(UnsafeMutableRawPointer(pointer).cast()) }

    /// The caps as GStreamer writes them.
    var text: String {
        guard let text = gst_caps_to_string(pointer) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// The fields of the first structure.
    var fields: [String: PropertyValue] {
        guard gst_caps_get_size(pointer) > 0, let structure = gst_caps_get_structure(pointer, 0) else { return [:] }
        return PropertyValue(structure).fields ?? [:]
    }

    /// Whether both are equal.
    func isSame(as other: CapsRef) -> Bool {
        pointer == other.pointer || gst_caps_is_equal(pointer, other.pointer) != 0
    }
}

extension Pad {
    /// The current caps of this pad; nil while there are none.
    var currentCaps: CapsRef? { gst_pad_get_current_caps(ref.pointer).map { CapsRef(owning: $0) } }
}
