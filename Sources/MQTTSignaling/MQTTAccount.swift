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
        let number = (0..<20).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
        // MQTT 3.1.1 promises no more than 23 letters and digits.
        clientID = "ca\(number)"
        claim = DeviceClaim(session: number, sinceUnixMs: unixMs)
    }

    var topics: Topics { address.topics }

    /// The topic of this device's own presence.
    var presenceTopic: String { topics.presence(of: device) }

    /// What this device always subscribes to: its messages, and its own presence.
    var filters: [String] { topics.inbox(of: device) + [presenceTopic] }

    /// Says that this device is signed in.
    func note(validForMs: Int, unixMs: Double) -> String {
        PresenceNote(
            session: claim.session, sinceUnixMs: claim.sinceUnixMs, sentUnixMs: unixMs, validForMs: validForMs
        ).text
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
