internal import CGStreamer

/// What every wrapped GObject can do: properties and signals.
protocol GObject: Sendable {
    associatedtype Native
    var ref: GObjectRef<Native> { get }
}

/// A GObject of which only properties and signals are used.
struct AnyGObject: GObject {
    let ref: GObjectRef<CGStreamer.GObject>
}

extension GObject {
    /// Sets a property from its text form, as `gst-launch` reads it: numbers, enum nicks, caps.
    ///
    /// - Throws: ``MediaError/unknownProperty(object:property:)`` and ``MediaError/invalidProperty(object:property:value:)``; GStreamer itself
    ///   ignores both errors silently.
    func set(_ property: String, _ value: String) throws(MediaError) {
        guard let spec = specification(of: property) else {
            throw .unknownProperty(object: typeName, property: property)
        }
        var parsed = GValue()
        g_value_init(&parsed, spec.pointee.value_type)
        defer { g_value_unset(&parsed) }
        // GStreamer reads empty text as the number 0, and GLib ignores values out of range.
        let isText = spec.pointee.value_type == cgst_type_string()
        guard isText || !value.isEmpty, gst_value_deserialize_with_pspec(&parsed, value, spec) != 0,
            g_param_value_validate(spec, &parsed) == 0
        else {
            throw .invalidProperty(object: typeName, property: property, value: value)
        }
        g_object_set_property(ref.cast(), property, &parsed)
    }

    /// Sets a text property to exactly `text`, which ``set(_:_:)`` would unquote.
    func set(_ property: String, text: String) throws(MediaError) {
        guard has(property) else { throw .unknownProperty(object: typeName, property: property) }
        var value = GValue()
        g_value_init(&value, cgst_type_string())
        defer { g_value_unset(&value) }
        g_value_set_string(&value, text)
        g_object_set_property(ref.cast(), property, &value)
    }

    /// Sets a property that holds an object.
    func set(_ property: String, object: (any GObject)?) throws(MediaError) {
        guard has(property) else { throw .unknownProperty(object: typeName, property: property) }
        var value = GValue()
        g_value_init(&value, g_object_get_type())
        defer { g_value_unset(&value) }
        g_value_set_object(&value, object?.rawPointer)
        g_object_set_property(ref.cast(), property, &value)
    }

    /// The value of a property, or nil when there is no such property.
    func get(_ property: String) -> PropertyValue? {
        var value = GValue()
        guard let spec = specification(of: property) else { return nil }
        g_value_init(&value, spec.pointee.value_type)
        defer { g_value_unset(&value) }
        g_object_get_property(ref.cast(), property, &value)
        return PropertyValue(&value)
    }

    /// The object that a property holds.
    func object(_ property: String) -> AnyGObject? {
        var value = GValue()
        guard has(property) else { return nil }
        g_value_init(&value, g_object_get_type())
        defer { g_value_unset(&value) }
        g_object_get_property(ref.cast(), property, &value)
        guard let object = g_value_dup_object(&value) else { return nil }
        return AnyGObject(ref: GObjectRef(owning: object.cast()))
    }

    func has(_ property: String) -> Bool { specification(of: property) != nil }

    /// The name of the object's class.
    var typeName: String { String(cString: g_type_name(cgst_object_type(ref.pointer))) }

    fileprivate var rawPointer: UnsafeMutableRawPointer { UnsafeMutableRawPointer(ref.pointer) }

    private func specification(of property: String) -> UnsafeMutablePointer<GParamSpec>? {
        let instance: UnsafeMutablePointer<GTypeInstance> = ref.cast()
        let objectClass = UnsafeMutableRawPointer(instance.pointee.g_class).cast(to: GObjectClass.self)
        return g_object_class_find_property(objectClass, property)
    }
}
