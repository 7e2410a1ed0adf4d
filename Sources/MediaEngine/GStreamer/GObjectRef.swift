internal import CGStreamer

/// One strong reference to a GObject; the only type that refs and unrefs.
///
/// GObject reference counting is atomic, so the reference itself may travel between threads; the wrapping type decides what may be *called* on it.
final class GObjectRef<T>: Sendable {
    // The pointer never changes and the object behind it is reference counted atomically.
    nonisolated(unsafe) let pointer: UnsafeMutablePointer<T>

    /// Takes over a reference that the caller owns ("transfer full").
    init(owning pointer: UnsafeMutablePointer<T>) { self.pointer = pointer }

    /// Adds a reference to a borrowed pointer ("transfer none").
    init(borrowing pointer: UnsafeMutablePointer<T>) {
        g_object_ref(pointer)
        self.pointer = pointer
    }

    /// Sinks a floating reference, as returned by `gst_element_factory_make`.
    init(sinking pointer: UnsafeMutablePointer<T>) {
        gst_object_ref_sink(pointer)
        self.pointer = pointer
    }

    deinit { g_object_unref(pointer) }

    /// The same object as another class of its hierarchy; GObject structs begin with their parent's.
    func cast<U>(to type: U.Type = U.self) -> UnsafeMutablePointer<U> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: type)
    }
}

extension UnsafeMutableRawPointer {
    /// A C object pointer as `type`.
    func cast<U>(to type: U.Type = U.self) -> UnsafeMutablePointer<U> { assumingMemoryBound(to: type) }
}
