internal import CallProtocol

/// The devices at the other end of this device's calls: a call gets `gone` when one of them is signed in no more.
///
/// Only this device makes a call known, by what it sends, or another one by an invite. So a peer cannot fill the memory with calls that do not exist.
struct CallPeers: Sendable {
    /// The most calls with one user that are remembered; beyond that the oldest one with that user is forgotten.
    static let maximumWithUser = 64
    /// The most calls that are remembered in all; further ones are not.
    static let maximum = 4_096
    /// The most devices of a user that a call may have, as on a signaling server.
    static let maximumDevices = 16

    private var calls: [CallKey: Set<String>] = [:]
    /// The calls with each user, in order.
    private var order: [String: [String]] = [:]
    /// How many calls each device has.
    private var counts: [Device: Int] = [:]
    /// Whether ``devices`` changed since this was set to false.
    var hasChanged = false

    /// The devices whose presence matters.
    var devices: some Collection<Device> { counts.keys }

    func contains(_ device: Device) -> Bool { counts[device] != nil }

    /// The calls with a device, sorted.
    func calls(with device: Device) -> [String] {
        (order[device.user] ?? []).filter {
            calls[CallKey(peer: device.user, callId: $0)]?.contains(device.device) == true
        }.sorted()
    }

    /// Takes a message of this device.
    mutating func sent(_ message: SignalingMessage) {
        let call = CallKey(peer: message.to, callId: message.callId)
        switch message.body {
        case .cancel(let farewell) where farewell.winner != nil: keep(only: farewell.winner, in: call)
        case .cancel, .reject, .hangup: remove(message.toDevice, from: call)
        case .ack, .error, .gone: break
        default: begin(call)
        }
    }

    /// Takes a message of another device to this one, which is named `device`.
    mutating func received(_ body: SignalingMessage.Body, callId: String, from sender: Device, as device: String) {
        let call = CallKey(peer: sender.user, callId: callId)
        switch body {
        case .reject, .hangup: remove(sender.device, from: call)
        // This device has the call; the others have lost it.
        case .cancel(let farewell) where farewell.winner == device: break
        case .cancel: remove(nil, from: call)
        case .ack, .error, .gone: break
        case .invite:
            begin(call)
            add(sender, to: call)
        default: add(sender, to: call)
        }
    }

    private mutating func begin(_ call: CallKey) {
        guard calls[call] == nil, calls.count < Self.maximum else { return }
        calls[call] = []
        order[call.peer, default: []].append(call.callId)
        guard let oldest = order[call.peer]?.first, order[call.peer, default: []].count > Self.maximumWithUser else {
            return
        }
        remove(nil, from: CallKey(peer: call.peer, callId: oldest))
    }

    private mutating func add(_ device: Device, to call: CallKey) {
        guard let present = calls[call], present.count < Self.maximumDevices, !present.contains(device.device) else {
            return
        }
        calls[call]?.insert(device.device)
        counts[device, default: 0] += 1
        if counts[device] == 1 { hasChanged = true }
    }

    /// Removes a device, or nil: all; a call without devices is over.
    private mutating func remove(_ device: String?, from call: CallKey) {
        for name in calls[call] ?? [] where device == nil || name == device {
            calls[call]?.remove(name)
            let gone = Device(user: call.peer, device: name)
            guard let count = counts[gone] else { continue }
            counts[gone] = count > 1 ? count - 1 : nil
            if count == 1 { hasChanged = true }
        }
        guard calls[call]?.isEmpty == true else { return }
        calls[call] = nil
        order[call.peer]?.removeAll { $0 == call.callId }
        if order[call.peer]?.isEmpty == true { order[call.peer] = nil }
    }

    private mutating func keep(only winner: String?, in call: CallKey) {
        for name in calls[call] ?? [] where name != winner { remove(name, from: call) }
    }
}
