internal import CGStreamer
internal import Logging
internal import Synchronization

/// GStreamer's own log, handed to a logger of the application's.
enum GStreamerLog {
    /// What GStreamer hands to its log function.
    private final class Receiver: Sendable {
        let logger: Logger
        init(_ logger: Logger) { self.logger = logger }
    }

    /// Whether GStreamer hands its log on; there is one for the process.
    private static let isBridged = Mutex(false)
    private static let receiver = Mutex<Receiver?>(nil)

    /// Hands what GStreamer logs from now on to `logger`, and to nobody else; the last call counts.
    ///
    /// `thresholds` are written as in `GST_DEBUG`. What a category does not log costs a comparison, as ever; what `logger` does not take is not
    /// put into words. Used once GStreamer is initialised.
    static func hand(to logger: Logger, _ thresholds: String) {
        receiver.withLock { $0 = Receiver(logger) }
        let isFirst = isBridged.withLock { isBridged in
            defer { isBridged = true }
            return !isBridged
        }
        if isFirst {
            // Without a name it is the function that GStreamer itself prints with: nothing is told twice.
            gst_debug_remove_log_function(nil)
            gst_debug_add_log_function(
                { category, level, file, function, line, _, message, _ in
                    guard let category, let message else { return }
                    GStreamerLog.take(category, level, file, function, line, message)
                }, nil, nil)
        }
        gst_debug_set_threshold_from_string(thresholds, 1)
    }

    /// Runs on the thread that logs, whichever that is.
    private static func take(
        _ category: UnsafeMutablePointer<GstDebugCategory>, _ level: GstDebugLevel, _ file: UnsafePointer<CChar>?,
        _ function: UnsafePointer<CChar>?, _ line: CInt, _ message: OpaquePointer
    ) {
        guard let logger = receiver.withLock({ $0 })?.logger else { return }
        let severity = severity(of: level)
        guard severity >= logger.logLevel, let text = gst_debug_message_get(message) else { return }
        var metadata: Logger.Metadata = ["category": "\(String(cString: gst_debug_category_get_name(category)))"]
        if let id = gst_debug_message_get_id(message) { metadata["object"] = "\(String(cString: id))" }
        logger.log(
            level: severity, "\(String(cString: text))", metadata: metadata, source: "GStreamer",
            file: file.map { String(cString: $0) } ?? "", function: function.map { String(cString: $0) } ?? "",
            line: UInt(max(0, line)))
    }

    private static func severity(of level: GstDebugLevel) -> Logger.Level {
        switch level {
        case GST_LEVEL_ERROR: .error
        case GST_LEVEL_WARNING: .warning
        case GST_LEVEL_INFO: .info
        // Also what is above INFO and a note of GStreamer's authors for themselves.
        default: level.rawValue <= GST_LEVEL_DEBUG.rawValue ? .debug : .trace
        }
    }
}
