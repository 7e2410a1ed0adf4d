internal import CGStreamer

extension Pad {
    /// Notes the level of each buffer of raw audio that passes.
    func noteAudioLevel() {
        addProbe(GST_PAD_PROBE_TYPE_BUFFER) { info in
            guard let caps = gst_pad_get_current_caps(info.pad) else { return GST_PAD_PROBE_OK }
            defer { gst_caps_unref(caps) }
            var shape = GstAudioInfo()
            guard let buffer = info.buffer, gst_audio_info_from_caps(&shape, caps) != 0,
                let format = shape.finfo?.pointee.name.map({ String(cString: $0) }),
                let level = BufferRef(borrowing: buffer).withBytes({ AudioLevel.level(of: $0, format: format) }) ?? nil
            else { return GST_PAD_PROBE_OK }
            if let writable = info.makeWritable() { gst_buffer_add_audio_level_meta(writable, level, 0) }
            return GST_PAD_PROBE_OK
        }
    }
}

extension Element {
    /// Lets this payloader write the noted level into its packets, in the header extension with this id.
    func writeAudioLevel(id: Int) throws(MediaError) {
        let writer = try Element("rtphdrextclientaudiolevel")
        gst_rtp_header_extension_set_id(UnsafeMutableRawPointer(writer.ref.pointer).cast(), guint(id))
        emit("add-extension", [.element(writer)])
    }
}
