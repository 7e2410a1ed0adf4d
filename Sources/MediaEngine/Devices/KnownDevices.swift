internal import Synchronization

/// The present devices, and their changes.
///
/// A monitor may report a device before it lists it, and again after; each change is reported once, in order.
final class KnownDevices: Sendable {
    private struct State {
        var devices: [String: MediaDevice] = [:]
        /// The changes reported before the list arrived; nil from then on.
        var early: [(record: DeviceRecord, isThere: Bool)]? = []
    }
    private let state = Mutex(State())
    private let report: @Sendable (DeviceChange) -> Void

    /// `report` is called under a lock, so it yields and returns.
    init(_ report: @escaping @Sendable (DeviceChange) -> Void) { self.report = report }

    func note(_ record: DeviceRecord, isThere: Bool) {
        state.withLock { state in
            if state.early == nil { note(record, isThere, in: &state) } else { state.early?.append((record, isThere)) }
        }
    }

    func note(list: [DeviceRecord]) {
        state.withLock { state in
            for record in list { note(record, true, in: &state) }
            for (record, isThere) in state.early.take() ?? [] { note(record, isThere, in: &state) }
        }
    }

    private func note(_ record: DeviceRecord, _ isThere: Bool, in state: inout State) {
        guard let device = MediaDevice(record) else { return }
        let known = state.devices.removeValue(forKey: device.source)
        if isThere { state.devices[device.source] = device }
        switch (known, isThere) {
        case (nil, true): report(.added(device))
        case (.some(let known), false): report(.removed(known))
        // The name or the formats changed.
        case (.some(let known), true) where known != device: [.removed(known), .added(device)].forEach(report)
        default: break
        }
    }
}

/// The result of a search for devices.
final class FoundDevices: Sendable {
    private let records = Mutex<[DeviceRecord]>([])

    var devices: [MediaDevice] { records.withLock { $0 }.compactMap(MediaDevice.init) }

    func note(_ found: [DeviceRecord]) { records.withLock { $0 = found } }
}
