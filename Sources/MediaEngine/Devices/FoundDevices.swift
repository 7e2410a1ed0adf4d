internal import Synchronization

/// The result of a search for devices.
final class FoundDevices: Sendable {
    private let records = Mutex<[DeviceRecord]>([])

    var devices: [MediaDevice] { records.withLock { $0 }.compactMap(MediaDevice.init) }

    func note(_ found: [DeviceRecord]) { records.withLock { $0 = found } }
}
