internal import CGStreamer

/// A message of a pipeline's bus that the engine acts on.
enum BusMessage: Sendable, Equatable {
    case endOfStream
    /// An element failed; `element` is its path, `debug` is GStreamer's detail.
    case error(element: String, message: String, debug: String, fault: SourceFault)
    case warning(element: String, message: String, debug: String)
    case latencyChanged
    /// A round of a segment seek is over.
    case segmentDone
    /// A telephone event of the peer began (`rtpdtmfdepay`).
    case dtmf(event: Int)
    /// A camera or microphone was added or removed.
    case device(DeviceRecord, isThere: Bool)

    /// Nil for the many kinds that the engine ignores.
    init?(_ message: UnsafeMutablePointer<GstMessage>) {
        switch message.pointee.type {
        case GST_MESSAGE_EOS: self = .endOfStream
        case GST_MESSAGE_LATENCY: self = .latencyChanged
        case GST_MESSAGE_ERROR:
            let (text, debug) = Self.report(message, gst_message_parse_error)
            self = .error(
                element: Self.source(message), message: text, debug: debug,
                fault: Self.fault(Self.resourceError(message), debug))
        case GST_MESSAGE_SEGMENT_DONE: self = .segmentDone
        case GST_MESSAGE_WARNING:
            let (text, debug) = Self.report(message, gst_message_parse_warning)
            self = .warning(element: Self.source(message), message: text, debug: debug)
        case GST_MESSAGE_DEVICE_ADDED, GST_MESSAGE_DEVICE_REMOVED:
            let isThere = message.pointee.type == GST_MESSAGE_DEVICE_ADDED
            var device: UnsafeMutablePointer<GstDevice>?
            (isThere ? gst_message_parse_device_added : gst_message_parse_device_removed)(message, &device)
            guard let device else { return nil }
            defer { gst_object_unref(device) }
            guard let record = DeviceRecord(device) else { return nil }
            self = .device(record, isThere: isThere)
        case GST_MESSAGE_ELEMENT:
            guard let structure = gst_message_get_structure(message),
                case .structure("dtmf-event", let fields) = PropertyValue(structure),
                let event = fields["number"]?.intValue
            else { return nil }
            self = .dtmf(event: event)
        default: return nil
        }
    }

    private typealias Parse = (
        UnsafeMutablePointer<GstMessage>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?,
        UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
    ) -> Void

    private static func report(_ message: UnsafeMutablePointer<GstMessage>, _ parse: Parse) -> (String, String) {
        var error: UnsafeMutablePointer<GError>?
        var debug: UnsafeMutablePointer<gchar>?
        parse(message, &error, &debug)
        defer {
            g_clear_error(&error)
            g_free(debug)
        }
        return (error.map { String(cString: $0.pointee.message) } ?? "", debug.map { String(cString: $0) } ?? "")
    }

    /// The code of an error of the domain `GST_RESOURCE_ERROR`; nil for other domains.
    private static func resourceError(_ message: UnsafeMutablePointer<GstMessage>) -> UInt32? {
        var error: UnsafeMutablePointer<GError>?
        gst_message_parse_error(message, &error, nil)
        defer { g_clear_error(&error) }
        guard let error, error.pointee.domain == gst_resource_error_quark() else { return nil }
        return UInt32(bitPattern: error.pointee.code)
    }

    /// What an error means for its source; the error code is often vague, so the system's text counts too.
    static func fault(_ resourceError: UInt32?, _ debug: String) -> SourceFault {
        let system: [(String, SourceFault)] = [
            ("Permission denied", .denied),
            // A container without access to the device.
            ("Operation not permitted", .denied), ("Device or resource busy", .busy),
            ("Address already in use", .busy), ("No such file", .notFound),
            // A device node without a driver; an unplugged device reports less.
            ("No such device or address", .notFound), ("No such device", .lost),
        ]
        if let known = system.first(where: { debug.contains($0.0) }) { return known.1 }
        guard let resourceError else { return .unusable }
        return switch GstResourceError(rawValue: resourceError) {
        case GST_RESOURCE_ERROR_NOT_FOUND: .notFound
        case GST_RESOURCE_ERROR_BUSY: .busy
        case GST_RESOURCE_ERROR_NOT_AUTHORIZED: .denied
        case GST_RESOURCE_ERROR_OPEN_READ, GST_RESOURCE_ERROR_OPEN_READ_WRITE: .unreachable
        case GST_RESOURCE_ERROR_READ, GST_RESOURCE_ERROR_CLOSE, GST_RESOURCE_ERROR_WRITE: .lost
        default: .unusable
        }
    }

    private static func source(_ message: UnsafeMutablePointer<GstMessage>) -> String {
        guard let path = message.pointee.src.flatMap({ gst_object_get_path_string($0) }) else { return "unknown" }
        defer { g_free(path) }
        return String(cString: path)
    }
}
