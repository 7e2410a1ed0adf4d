internal import CGStreamer

/// A GValue converted to a Swift value, so that no other part of the engine sees GStreamer's own types.
enum PropertyValue: Sendable, Equatable {
    case bool(Bool)
    case int(Int64)
    case uint(UInt64)
    case double(Double)
    case string(String)
    /// The fields of a GstStructure; for caps, those of the first structure.
    case structure(name: String, [String: PropertyValue])
    /// A list of alternative values in caps, or an array.
    indirect case list([PropertyValue])
    /// A range of values.
    indirect case range(PropertyValue, PropertyValue)
    /// A ratio of two numbers, such as a frame rate.
    case fraction(Int, Int)
    /// The text of a GError.
    case error(String)
    /// A type that the engine does not need.
    case other(type: String)

    init(_ value: UnsafePointer<GValue>) {
        switch cgst_value_type(value) {
        case cgst_type_boolean(): self = .bool(g_value_get_boolean(value) != 0)
        case cgst_type_int(): self = .int(Int64(g_value_get_int(value)))
        case cgst_type_int64(): self = .int(Int64(g_value_get_int64(value)))
        case cgst_type_uint(): self = .uint(UInt64(g_value_get_uint(value)))
        case cgst_type_uint64(): self = .uint(UInt64(g_value_get_uint64(value)))
        case cgst_type_double(): self = .double(g_value_get_double(value))
        case cgst_type_string(): self = .string(g_value_get_string(value).map { String(cString: $0) } ?? "")
        default: self = Self.boxed(value) ?? .other(type: String(cString: g_type_name(cgst_value_type(value))))
        }
    }

    private static func boxed(_ value: UnsafePointer<GValue>) -> PropertyValue? {
        if cgst_value_holds_enum(value) != 0 { return .int(Int64(g_value_get_enum(value))) }
        if let choice = choice(value) { return choice }
        if cgst_value_holds(value, gst_structure_get_type()) != 0 {
            return gst_value_get_structure(value).map { PropertyValue($0) }
        }
        if cgst_value_holds(value, gst_webrtc_session_description_get_type()) != 0 {
            guard let description = g_value_get_boxed(value)?.cast(to: GstWebRTCSessionDescription.self),
                let text = gst_sdp_message_as_text(description.pointee.sdp)
            else { return nil }
            defer { g_free(text) }
            return .string(String(cString: text))
        }
        if cgst_value_holds(value, g_error_get_type()) != 0 {
            guard let error = g_value_get_boxed(value)?.cast(to: GError.self) else { return nil }
            return .error(String(cString: error.pointee.message))
        }
        return nil
    }

    /// The types of values in caps.
    private static func choice(_ value: UnsafePointer<GValue>) -> PropertyValue? {
        if cgst_value_holds(value, gst_value_list_get_type()) != 0 {
            return .list(
                (0..<gst_value_list_get_size(value)).compactMap { gst_value_list_get_value(value, $0) }.map {
                    PropertyValue($0)
                })
        }
        if cgst_value_holds(value, cgst_type_value_array()) != 0 {
            guard let array = g_value_get_boxed(value)?.cast(to: GValueArray.self).pointee else { return nil }
            return .list((0..<Int(array.n_values)).map { PropertyValue(array.values + $0) })
        }
        if cgst_value_holds(value, gst_fraction_get_type()) != 0 {
            return .fraction(
                Int(gst_value_get_fraction_numerator(value)), Int(gst_value_get_fraction_denominator(value)))
        }
        if cgst_value_holds(value, gst_int_range_get_type()) != 0 {
            return .range(
                .int(Int64(gst_value_get_int_range_min(value))), .int(Int64(gst_value_get_int_range_max(value))))
        }
        if cgst_value_holds(value, gst_fraction_range_get_type()) != 0 {
            guard let from = gst_value_get_fraction_range_min(value), let to = gst_value_get_fraction_range_max(value)
            else { return nil }
            return .range(PropertyValue(from), PropertyValue(to))
        }
        return nil
    }

    /// The structures of caps.
    static func structures(of caps: UnsafeMutablePointer<GstCaps>) -> [PropertyValue] {
        // ANY caps allow everything and have no structures.
        guard gst_caps_is_any(caps) == 0 else { return [] }
        return (0..<gst_caps_get_size(caps)).compactMap { gst_caps_get_structure(caps, $0) }.map { PropertyValue($0) }
    }

    init(_ structure: UnsafePointer<GstStructure>) {
        var fields: [String: PropertyValue] = [:]
        for index in 0..<gst_structure_n_fields(structure) {
            guard let name = gst_structure_nth_field_name(structure, guint(index)),
                let value = gst_structure_get_value(structure, name)
            else { continue }
            fields[String(cString: name)] = PropertyValue(value)
        }
        self = .structure(name: String(cString: gst_structure_get_name(structure)), fields)
    }

    var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    var fields: [String: PropertyValue]? { if case .structure(_, let fields) = self { fields } else { nil } }

    /// The alternatives that it allows.
    var alternatives: [PropertyValue] { if case .list(let values) = self { values } else { [self] } }

    /// The values of an array.
    var elements: [PropertyValue]? { if case .list(let values) = self { values } else { nil } }

    /// A whole number of any width that fits an `Int`.
    var intValue: Int? {
        switch self {
        case .int(let value): Int(exactly: value)
        case .uint(let value): Int(exactly: value)
        default: nil
        }
    }

    /// A number of any kind, ratios included.
    var ratioValue: Double? {
        if case .fraction(let numerator, let denominator) = self {
            return denominator == 0 ? nil : Double(numerator) / Double(denominator)
        }
        return doubleValue
    }

    /// A number of any kind.
    var doubleValue: Double? {
        switch self {
        case .int(let value): Double(value)
        case .uint(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
