internal import CallAgent
internal import CallProtocol
internal import Foundation

/// A sign-in: where, as whom, and which of several programs of the same name this one is.
struct MQTTAccount: Sendable {
    let address: MQTTAddress
    let device: Device
    /// Identifies this program at the broker.
    ///
    /// Another program that knew it could end the connection, so it is random.
    let clientID: String
    var claim: DeviceClaim

    init(_ address: MQTTAddress, _ device: Device, unixMs: Double) {
        (self.address, self.device) = (address, device)
        func random() -> String { (0..<20).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined() }
        // MQTT 3.1.1 promises no more than 23 letters and digits.
        clientID = "ca" + random()
        // Everybody may read it in the notes, so it says nothing of the client id.
        claim = DeviceClaim(session: random(), sinceUnixMs: unixMs)
    }

    var topics: Topics { address.topics }

    /// The topic of this device's own presence.
    var presenceTopic: String { topics.presence(of: device) }

    /// What this device always subscribes to: its messages, and its own presence.
    var filters: [String] { topics.inbox(of: device) + [presenceTopic] }

    /// Says that this device is signed in.
    func note(_ number: Int, validForMs: Int, unixMs: Double) -> String {
        PresenceNote(
            session: claim.session, number: number, sinceUnixMs: claim.sinceUnixMs, sentUnixMs: unixMs,
            validForMs: validForMs
        ).text
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

    func topic(for message: SignalingMessage) -> String {
        topics.message(from: device, to: message.to, device: message.toDevice)
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
