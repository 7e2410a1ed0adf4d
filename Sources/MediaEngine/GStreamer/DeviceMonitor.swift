internal import CGStreamer
internal import Synchronization

/// Lists the cameras and microphones of this machine, and reports when one is added or removed.
final class DeviceMonitor: Sendable {
    private let ref: GObjectRef<GstDeviceMonitor>
    private let bus: Bus
    private enum Phase { case new, started, over }
    private let phase = Mutex(Phase.new)

    /// Nil when GStreamer has no monitor.
    init?() {
        guard let monitor = gst_device_monitor_new(), let bus = gst_device_monitor_get_bus(monitor) else { return nil }
        ref = GObjectRef(owning: monitor)
        self.bus = Bus(ref: GObjectRef(owning: bus))
        for name in ["Video/Source", "Audio/Source"] { gst_device_monitor_add_filter(monitor, name, nil) }
    }

    /// Reports changes, on any thread, from ``start()`` until ``stop()``.
    func watch(_ handler: @escaping @Sendable (_ device: DeviceRecord, _ isThere: Bool) -> Void) {
        bus.watch { if case .device(let record, let isThere) = $0 { handler(record, isThere) } }
    }

    /// Starts, and lists the present devices; blocks until the services answer.
    ///
    /// None after ``stop()``.
    func start() -> [DeviceRecord] {
        guard phase.withLock({ $0 == .new }) else { return [] }
        // False also when only some of the services could be reached.
        if gst_device_monitor_start(ref.pointer) != 0 { phase.withLock { $0 = .started } }
        let list = gst_device_monitor_get_devices(ref.pointer)
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

    /// Also blocks; never at the same time as ``start()``.
    func stop() {
        bus.unwatch()
        let wasStarted = phase.withLock { phase in
            defer { phase = .over }
            return phase == .started
        }
        if wasStarted { gst_device_monitor_stop(ref.pointer) }
    }
}
