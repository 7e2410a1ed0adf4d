internal import CGStreamer

/// GStreamer's record of a device.
struct DeviceRecord: Sendable, Equatable {
    var name: String
    /// The device class, such as `Video/Source`.
    var deviceClass: String
    /// The element that opens it.
    var factory: String
    /// The value of the element's property that selects the device.
    var address: String?
    /// Its formats.
    var caps: [PropertyValue]

    /// The present cameras and microphones; blocks until their services answer.
    static func all() -> [DeviceRecord] {
        guard let monitor = DeviceMonitor() else { return [] }
        defer { monitor.stop() }
        return monitor.start()
    }

    init(name: String, deviceClass: String, factory: String, address: String?, caps: [PropertyValue]) {
        self.name = name
        self.deviceClass = deviceClass
        self.factory = factory
        self.address = address
        self.caps = caps
    }

    init?(_ device: UnsafeMutablePointer<GstDevice>) {
        guard let native = gst_device_create_element(device, nil) else { return nil }
        let element = Element(ref: GObjectRef(sinking: native))
        let name = gst_device_get_display_name(device)
        let deviceClass = gst_device_get_device_class(device)
        defer {
            g_free(name)
            g_free(deviceClass)
        }
        var structures: [PropertyValue] = []
        if let caps = gst_device_get_caps(device) {
            structures = PropertyValue.structures(of: caps)
            gst_mini_object_unref(UnsafeMutableRawPointer(caps).cast())
        }
        self.init(
            name: name.map { String(cString: $0) } ?? "", deviceClass: deviceClass.map { String(cString: $0) } ?? "",
            factory: element.factoryName ?? "",
            address: ["device", "target-object"].lazy.compactMap { element.get($0)?.stringValue }.first { !$0.isEmpty },
            caps: structures)
    }
}
