internal import CGStreamer

/// A data channel of `webrtcbin`; see ``OrphanedDataChannel`` for when it may be used.
struct NativeDataChannel: GObject {
    let ref: GObjectRef<CGStreamer.GObject>

    /// - Throws: ``MediaError/rejected(operation:text:)``, with GStreamer's own words.
    func send(_ message: DataChannel.Message) throws(MediaError) {
        // An empty message has its own form; GStreamer takes NULL for it.
        switch SwappedEmptyMessage.swapped(message) {
        case .text(let text):
            try check { gst_webrtc_data_channel_send_string_full(opaque, text.isEmpty ? nil : text, &$0) != 0 }
        case .binary(let bytes):
            let data = bytes.isEmpty ? nil : g_bytes_new(bytes, gsize(bytes.count))
            defer { if let data { g_bytes_unref(data) } }
            try check { gst_webrtc_data_channel_send_data_full(opaque, data, &$0) != 0 }
        }
    }

    func close() { gst_webrtc_data_channel_close(opaque) }

    private var opaque: OpaquePointer { OpaquePointer(ref.pointer) }

    private func check(
        _ body: (inout UnsafeMutablePointer<GError>?) -> Bool
    ) throws(MediaError) {
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        guard !body(&error) else { return }
        throw .rejected(
            operation: "sending", text: error.map { String(cString: $0.pointee.message) } ?? "GStreamer gives no reason"
        )
    }
}

extension SignalArguments {
    func dataChannel(_ index: Int) -> NativeDataChannel? {
        object(index, of: gst_webrtc_data_channel_get_type()).map { NativeDataChannel(ref: $0) }
    }

    /// The bytes of a `GBytes`; empty for NULL.
    func bytes(_ index: Int) -> [UInt8] {
        guard let boxed = boxed(index, of: g_bytes_get_type()) else { return [] }
        var size: gsize = 0
        guard let data = g_bytes_get_data(OpaquePointer(boxed), &size) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: data, count: Int(size)))
    }
}

extension Element {
    /// Makes a data channel in `webrtcbin`; nil when it cannot.
    func makeDataChannel(_ label: String, _ options: DataChannelOptions) -> NativeDataChannel? {
        guard let structure = gst_structure_new_empty("data-channel") else { return nil }
        defer { gst_structure_free(structure) }
        var value = GValue()
        g_value_init(&value, cgst_type_boolean())
        g_value_set_boolean(&value, options.isOrdered ? 1 : 0)
        gst_structure_set_value(structure, "ordered", &value)
        g_value_unset(&value)
        let limit: (String, Int)? =
            options.maxRetransmits.map { ("max-retransmits", $0) }
            ?? options.maxPacketLifetimeMs.map { ("max-packet-lifetime", $0) }
        if let (name, number) = limit {
            g_value_init(&value, cgst_type_int())
            g_value_set_int(&value, gint(number))
            gst_structure_set_value(structure, name, &value)
            g_value_unset(&value)
        }
        g_value_init(&value, cgst_type_string())
        g_value_set_string(&value, options.protocolName)
        gst_structure_set_value(structure, "protocol", &value)
        g_value_unset(&value)
        if let id = options.negotiatedId {
            g_value_init(&value, cgst_type_boolean())
            g_value_set_boolean(&value, 1)
            gst_structure_set_value(structure, "negotiated", &value)
            g_value_unset(&value)
            g_value_init(&value, cgst_type_int())
            g_value_set_int(&value, gint(id))
            gst_structure_set_value(structure, "id", &value)
            g_value_unset(&value)
        }
        var made: UnsafeMutableRawPointer?
        emit("create-data-channel", [.string(label), .structure(structure)]) { result in
            made = g_value_dup_object(result)
        }
        return made.map { NativeDataChannel(ref: GObjectRef(owning: $0.cast())) }
    }
}
