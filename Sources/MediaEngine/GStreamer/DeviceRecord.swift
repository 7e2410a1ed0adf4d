internal import CGStreamer

/// What GStreamer says of a device that it found.
struct DeviceRecord: Sendable, Equatable {
    var name: String
    /// Such as `Video/Source`.
    var deviceClass: String
    /// The element that opens it.
    var factory: String
    /// How that element is told which one is meant.
    var address: String?
    /// What it can give.
    var caps: [PropertyValue]

    /// The cameras and microphones that are there; blocks for as long as their services take to answer.
    static func all() -> [DeviceRecord] {
        guard let monitor = gst_device_monitor_new() else { return [] }
        defer { gst_object_unref(monitor) }
        for name in ["Video/Source", "Audio/Source"] { gst_device_monitor_add_filter(monitor, name, nil) }
        // False also when only some of the services could be asked.
        let isStarted = gst_device_monitor_start(monitor) != 0
        defer { if isStarted { gst_device_monitor_stop(monitor) } }
        let list = gst_device_monitor_get_devices(monitor)
        defer { g_list_free(list) }
        var records: [DeviceRecord] = []
        var item = list
        while let entry = item {
            if let device = entry.pointee.data {
                if let record = DeviceRecord(device.cast()) { records.append(record) }
                gst_object_unref(device)
            }
            item = entry.pointee.next
        }
        return records
    }

    init(name: String, deviceClass: String, factory: String, address: String?, caps: [PropertyValue]) {
        self.name = name
        self.deviceClass = deviceClass
        self.factory = factory
        self.address = address
        self.caps = caps
    }

    private init?(_ device: UnsafeMutablePointer<GstDevice>) {
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
