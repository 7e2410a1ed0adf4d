internal import CallAgent
internal import CallProtocol
internal import Foundation

/// A sign-in: where and as whom.
struct MQTTAccount: Sendable {
    let address: MQTTAddress
    let device: Device
    /// Identifies this program at the broker.
    ///
    /// Another program that knew it could end the connection, so it is random.
    let clientID: String

    init(_ address: MQTTAddress, _ device: Device) {
        (self.address, self.device) = (address, device)
        // MQTT 3.1.1 promises no more than 23 letters and digits.
        clientID = "ca" + Self.random()
    }

    /// Which of several programs of the same name this one is.
    ///
    /// Everybody may read it in the notes, so it says nothing of the client id.
    static func claim(_ session: String?, unixMs: Double) -> DeviceClaim {
        DeviceClaim(session: session ?? random(), sinceUnixMs: unixMs)
    }

    private static func random() -> String { (0..<20).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined() }

    var topics: Topics { address.topics }

    /// The topic of this device's own presence.
    var presenceTopic: String { topics.presence(of: device) }

    /// What this device always subscribes to, apart from invites: its messages, and its own presence; in a pool that of all members.
    func filters(isInPool: Bool) -> [String] {
        topics.inbox(of: device) + [isInPool ? topics.presence(ofUser: device.user) : presenceTopic]
    }

    /// Whether a message says the same of its sender as the topic, which the broker has checked, and is not a server's.
    func accepts(_ text: String, from sender: Device) -> Bool {
        guard let head = MessageHead(decoding: text) else { return false }
        return head.from == sender.user && !head.isMisaddressed && head.device ?? sender.device == sender.device
            && head.type != "gone"
    }

    /// How long the broker may keep a message for a receiver; nil: without limit.
    func expirySeconds(of message: SignalingMessage) -> UInt32? {
        guard case .invite(let invite) = message.body else { return nil }
        return UInt32(max(invite.ringTimeoutMs, 0) / 1_000) + 2
    }

    /// A message to its receiver.
    func publication(of message: SignalingMessage, _ text: String) -> Publication {
        let topic =
            message.body.isInvite && message.toDevice == nil
            ? topics.invite(from: device, to: message.to)
            : topics.message(from: device, to: message.to, device: message.toDevice)
        return Publication(
            text: text, topic: topic, expirySeconds: expirySeconds(of: message), ifRefused: .report(message))
    }

    /// A message that this end cannot read, to its receiver, who answers it; nil if its sender, receiver, call or id is illegible.
    func publication(ofUnreadable text: String) -> Publication? {
        guard let head = MessageHead(decoding: text), let id = head.id, let callId = head.callId, let to = head.to,
            head.from == device.user, !head.isMisaddressed
        else { return nil }
        let topic =
            head.type == "invite" && head.toDevice == nil
            ? topics.invite(from: device, to: to) : topics.message(from: device, to: to, device: head.toDevice)
        // What the error about it needs; there is none about an answer.
        let isAnswer = head.type == "ack" || head.type == "error"
        let message = SignalingMessage(
            id: id, callId: callId, from: device.user, to: to, generation: head.generation ?? 0, sentUnixMs: 0,
            body: isAnswer ? .ack(id) : .skip)
        return Publication(text: text, topic: topic, ifRefused: .report(message))
    }

    /// What a connection needs to know.
    func settings(
        _ url: SignalingURL, _ version: BrokerSettings.Version, _ configuration: MQTTTransportConfiguration,
        password: String?
    ) -> BrokerSettings {
        let tls = BrokerSettings.TLS(
            trustRootsFile: configuration.trustRootsFile, certificateFile: configuration.certificateFile,
            keyFile: configuration.keyFile)
        return BrokerSettings(
            host: url.host, port: url.port, version: version, clientID: clientID,
            username: url.user ?? Topics.level(device.user), password: password,
            keepAliveSeconds: Int(configuration.keepAlive / .seconds(1)), willTopic: presenceTopic,
            tls: url.isSecure ? tls : nil)
    }
}
