internal import CGStreamer

/// A GStreamer element or bin.
struct Element: GObject {
    let ref: GObjectRef<GstElement>

    init(ref: GObjectRef<GstElement>) { self.ref = ref }

    /// Makes an element by its factory's name.
    ///
    /// - Throws: ``MediaError/pluginMissing(element:)``.
    init(_ factory: String, name: String? = nil) throws(MediaError) {
        guard let element = gst_element_factory_make(factory, name) else { throw .pluginMissing(element: factory) }
        ref = GObjectRef(sinking: element)
    }

    /// Parses a launch line into a bin.
    ///
    /// Unlinked pads become the bin's ghost pads `sink` and `src`, unless the caller links them itself.
    init(launch text: String, description: String, hasGhostPads: Bool = true) throws(MediaError) {
        let context = gst_parse_context_new()
        defer { gst_parse_context_free(context) }
        var error: UnsafeMutablePointer<GError>?
        let bin = gst_parse_bin_from_description_full(
            text, hasGhostPads ? 1 : 0, context, GstParseFlags(rawValue: GST_PARSE_FLAG_FATAL_ERRORS.rawValue), &error)
        defer { g_clear_error(&error) }
        if let bin, error == nil {
            ref = GObjectRef(sinking: bin)
            return
        }
        if let bin { gst_object_unref(gst_object_ref_sink(bin)) }
        if let missing = Self.missingElement(context) { throw .pluginMissing(element: missing) }
        let reason = error.map { String(cString: $0.pointee.message) } ?? "GStreamer gives no reason"
        throw .invalidPipelineDescription(name: description, line: nil, text: reason)
    }

    private static func missingElement(_ context: OpaquePointer?) -> String? {
        guard let names = gst_parse_context_get_missing_elements(context) else { return nil }
        defer { g_strfreev(names) }
        // The list also contains installed elements with a wrong property.
        return sequence(first: 0, next: { $0 + 1 }).lazy.map { names[$0] }.prefix { $0 != nil }
            .compactMap { $0.map { String(cString: $0) } }.first { !GStreamerLibrary.hasElement($0) }
    }

    /// The name of the factory that made it; nil for bins that no factory made, such as webrtcbin's transports.
    var factoryName: String? {
        guard let factory = gst_element_get_factory(ref.pointer),
            let name = gst_object_get_name(UnsafeMutableRawPointer(factory).cast(to: GstObject.self))
        else { return nil }
        defer { g_free(name) }
        return String(cString: name)
    }

    /// Whether a path (``path``) is that of this element or of one inside it.
    func contains(_ path: String) -> Bool {
        let own = self.path
        return path == own || path.hasPrefix(own + "/")
    }

    /// The bin that holds it; nil when it is in none.
    var parent: Element? {
        gst_object_get_parent(ref.cast()).map {
            Element(ref: GObjectRef(owning: UnsafeMutableRawPointer($0).cast(to: GstElement.self)))
        }
    }

    /// Makes a filter (a `GstBaseTransform`) pass its input through until it decides otherwise.
    func passThrough() { gst_base_transform_set_passthrough(ref.cast(), 1) }

    /// The path of the element in its pipeline, for error messages.
    var path: String {
        guard let path = gst_object_get_path_string(ref.cast()) else { return "" }
        defer { g_free(path) }
        return String(cString: path)
    }

    /// The child of that name, at any depth.
    func child(_ name: String) -> Element? {
        guard let child = gst_bin_get_by_name(ref.cast(), name) else { return nil }
        return Element(ref: GObjectRef(owning: child))
    }

    /// The first child that this factory made, at any depth.
    func child(madeBy factory: String) -> Element? {
        var found: Element?
        visitChildren { child in
            if child.factoryName == factory { found = child }
            return found == nil
        }
        return found
    }

    /// Passes each child at any depth to `visit` until that returns false; some of them again when children come or go meanwhile.
    private func visitChildren(_ visit: (Element) -> Bool) {
        guard let iterator = gst_bin_iterate_recurse(ref.cast()) else { return }
        defer { gst_iterator_free(iterator) }
        var item = GValue()
        while true {
            switch gst_iterator_next(iterator, &item) {
            case GST_ITERATOR_OK: break
            case GST_ITERATOR_RESYNC:
                // A child was added or removed meanwhile: start again.
                gst_iterator_resync(iterator)
                continue
            default: return
            }
            // Unset rather than reset: the iterator initialises an empty value.
            defer { g_value_unset(&item) }
            guard let object = g_value_get_object(&item) else { continue }
            guard visit(Element(ref: GObjectRef(borrowing: object.cast()))) else { return }
        }
    }

    /// Whether it is in NULL, as a new element, and stays there.
    var isIdle: Bool {
        var (state, next) = (GST_STATE_NULL, GST_STATE_VOID_PENDING)
        gst_element_get_state(ref.pointer, &state, &next, 0)
        return state == GST_STATE_NULL && next == GST_STATE_VOID_PENDING
    }

    /// Excludes the children at any depth that are in NULL from the state changes of this bin.
    func excludeIdleChildren() {
        visitChildren { child in
            if child.isIdle { gst_element_set_locked_state(child.ref.pointer, 1) }
            return true
        }
    }

    /// Sets the children at any depth to NULL, also those that were excluded and then started by somebody else.
    func stopChildren() {
        visitChildren { child in
            if !child.isIdle { gst_element_set_state(child.ref.pointer, GST_STATE_NULL) }
            return true
        }
    }

    /// - Throws: ``MediaError/noPad(element:pad:)``.
    func pad(_ name: String) throws(MediaError) -> Pad {
        guard let pad = gst_element_get_static_pad(ref.pointer, name) else { throw .noPad(element: path, pad: name) }
        return Pad(ref: GObjectRef(owning: pad))
    }

    /// - Throws: ``MediaError/noPad(element:pad:)``.
    func requestPad(_ template: String) throws(MediaError) -> Pad {
        guard let pad = gst_element_request_pad_simple(ref.pointer, template) else {
            throw .noPad(element: path, pad: template)
        }
        return Pad(ref: GObjectRef(owning: pad))
    }

    func release(_ pad: Pad) { gst_element_release_request_pad(ref.pointer, pad.ref.pointer) }

    func link(to next: Element) throws(MediaError) {
        guard gst_element_link(ref.pointer, next.ref.pointer) != 0 else {
            throw .linkFailed(from: path, to: next.path, reason: "no pads that fit")
        }
    }

    func add(_ child: Element) { gst_bin_add(ref.cast(), child.ref.pointer) }

    /// The child goes to NULL first: an element must not be freed in any other state.
    ///
    /// It stays there, also when the bin changes its own state at this moment.
    func remove(_ child: Element) {
        gst_element_set_locked_state(child.ref.pointer, 1)
        gst_element_set_state(child.ref.pointer, GST_STATE_NULL)
        gst_bin_remove(ref.cast(), child.ref.pointer)
    }

    /// Puts another element behind what feeds a child of this bin, and removes the child.
    func replace(_ child: Element, by other: Element) throws(MediaError) {
        let sink = try child.pad("sink")
        guard let source = sink.peer else { throw .noPad(element: child.path, pad: "sink") }
        sink.unlinkFromPeer()
        remove(child)
        add(other)
        try source.link(to: other.pad("sink"))
    }

    /// The clock time at which the running time of its pipeline is 0, in ns.
    var baseTime: UInt64 { UInt64(gst_element_get_base_time(ref.pointer)) }

    /// Pushes a buffer into an `appsrc`; false when it accepts none at present, or is another element.
    func push(_ buffer: BufferRef) -> Bool {
        guard cgst_is_app_src(ref.pointer) != 0 else { return false }
        return gst_app_src_push_buffer(ref.cast(), gst_buffer_ref(buffer.pointer)) == GST_FLOW_OK
    }

    /// Brings an element that was added to a running bin into the bin's state.
    func syncStateWithParent() throws(MediaError) {
        guard gst_element_sync_state_with_parent(ref.pointer) != 0 else {
            throw .stateChangeFailed(element: path, state: "of its pipeline")
        }
    }
}

/// The states that the engine sets.
enum ElementState {
    case null, ready, paused, playing

    fileprivate var native: GstState {
        switch self {
        case .null: GST_STATE_NULL
        case .ready: GST_STATE_READY
        case .paused: GST_STATE_PAUSED
        case .playing: GST_STATE_PLAYING
        }
    }
}

extension Element {
    /// Sets a state; live pipelines reach it later.
    ///
    /// Blocks; NULL joins the streaming threads, so never call this on one of them.
    func setState(_ state: ElementState) throws(MediaError) {
        guard gst_element_set_state(ref.pointer, state.native) != GST_STATE_CHANGE_FAILURE else {
            throw .stateChangeFailed(element: path, state: "\(state)")
        }
    }
}
