internal import CGStreamer
internal import Logging
internal import Synchronization

/// Passes GStreamer's own log to a logger of the application.
enum GStreamerLog {
    /// The arguments of GStreamer's log function.
    private final class Receiver: Sendable {
        let logger: Logger
        init(_ logger: Logger) { self.logger = logger }
    }

    /// Whether GStreamer's log is redirected; once for the process.
    private static let isBridged = Mutex(false)
    private static let receiver = Mutex<Receiver?>(nil)

    /// Sends GStreamer's log to `logger` only, from now on; the last call wins.
    ///
    /// `thresholds` are written as in `GST_DEBUG`. A line below its category's threshold costs only a comparison; a line that `logger` does not take
    /// is not formatted. Call it after GStreamer is initialised.
    static func hand(to logger: Logger, _ thresholds: String) {
        receiver.withLock { $0 = Receiver(logger) }
        let isFirst = isBridged.withLock { isBridged in
            defer { isBridged = true }
            return !isBridged
        }
        if isFirst {
            // No name means the function that prints for GStreamer itself: removing it avoids logging twice.
            gst_debug_remove_log_function(nil)
            gst_debug_add_log_function(
                { category, level, file, function, line, _, message, _ in
                    guard let category, let message else { return }
                    GStreamerLog.take(category, level, file, function, line, message)
                }, nil, nil)
        }
        gst_debug_set_threshold_from_string(thresholds, 1)
    }

    /// Runs on whichever thread logs.
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
