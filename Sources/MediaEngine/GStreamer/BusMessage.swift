internal import CGStreamer

/// A message of a pipeline's bus that the engine acts on.
enum BusMessage: Sendable, Equatable {
    case endOfStream
    /// An element failed; `element` is its path, `debug` GStreamer's own detail.
    case error(element: String, message: String, debug: String)
    case warning(element: String, message: String, debug: String)
    case latencyChanged
    /// A telephone event of the peer's began (`rtpdtmfdepay`).
    case dtmf(event: Int)

    /// Nil for the many kinds that nobody acts on.
    init?(_ message: UnsafeMutablePointer<GstMessage>) {
        switch message.pointee.type {
        case GST_MESSAGE_EOS: self = .endOfStream
        case GST_MESSAGE_LATENCY: self = .latencyChanged
        case GST_MESSAGE_ERROR:
            let (text, debug) = Self.report(message, gst_message_parse_error)
            self = .error(element: Self.source(message), message: text, debug: debug)
        case GST_MESSAGE_WARNING:
            let (text, debug) = Self.report(message, gst_message_parse_warning)
            self = .warning(element: Self.source(message), message: text, debug: debug)
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

    private static func source(_ message: UnsafeMutablePointer<GstMessage>) -> String {
        guard let path = message.pointee.src.flatMap({ gst_object_get_path_string($0) }) else { return "unknown" }
        defer { g_free(path) }
        return String(cString: path)
    }
}
