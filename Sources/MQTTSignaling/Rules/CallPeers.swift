internal import CallProtocol

/// The devices at the other end of this device's calls: a call is told when one of them is signed in no more.
struct CallPeers: Sendable {
    /// The most calls that are remembered; beyond that the oldest is forgotten.
    static let maximum = 1_024

    private var devices: [CallKey: Set<String>] = [:]
    private var order: [CallKey] = []

    /// The devices whose presence matters.
    var all: Set<Device> {
        Set(devices.flatMap { call, names in names.map { Device(user: call.peer, device: $0) } })
    }

    /// Takes a message of this device.
    mutating func sent(_ message: SignalingMessage) {
        let call = CallKey(peer: message.to, callId: message.callId)
        switch message.body {
        case .cancel(let farewell) where farewell.winner != nil:
            devices[call]?.formIntersection([farewell.winner ?? ""])
        case .cancel, .reject, .hangup: forget(call, message.toDevice)
        default: break
        }
    }

    /// Takes a message of another device.
    mutating func received(_ body: SignalingMessage.Body, callId: String, from sender: Device) {
        let call = CallKey(peer: sender.user, callId: callId)
        switch body {
        case .reject, .hangup: forget(call, sender.device)
        case .cancel(let farewell) where farewell.winner == nil: forget(call, sender.device)
        case .invite, .ringing, .progress, .accept, .query, .status: add(sender.device, to: call)
        default: break
        }
    }

    /// The calls with a device, sorted.
    func calls(with device: Device) -> [String] {
        devices.filter { $0.key.peer == device.user && $0.value.contains(device.device) }.map(\.key.callId).sorted()
    }

    private mutating func add(_ device: String, to call: CallKey) {
        if devices[call] == nil {
            if order.count >= Self.maximum { devices[order.removeFirst()] = nil }
            order.append(call)
        }
        // A peer may have as many devices as a server would take; more are not watched.
        guard devices[call, default: []].count < 16 else { return }
        devices[call, default: []].insert(device)
    }

    private mutating func forget(_ call: CallKey, _ device: String?) {
        if let device { devices[call]?.remove(device) } else { devices[call] = [] }
        guard devices[call]?.isEmpty == true else { return }
        devices[call] = nil
        order.removeAll { $0 == call }
    }
}
