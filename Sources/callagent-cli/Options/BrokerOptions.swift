internal import ArgumentParser
internal import CallAgent
internal import Logging
internal import MQTTSignaling

/// The broker that several servers share.
struct BrokerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Sign the clients in at this MQTT broker, mqtt:// or mqtts://, and let it carry all messages: clients of several such servers reach each other, and agents at the broker.",
            valueName: "url"))
    var broker: String?

    @Option(
        help: ArgumentHelp(
            "A file with the broker's password for the user of the URL, who may speak for all clients. Default: each client signs in there with its own name and token.",
            valueName: "file"),
        completion: .file())
    var brokerTokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with certificates to trust for mqtts://, in addition to the system's.", valueName: "file"),
        completion: .file())
    var brokerTrustRoots: String?

    func validate() throws {
        guard broker != nil || (brokerTokenFile ?? brokerTrustRoots) == nil else {
            throw ValidationError("--broker-token-file and --broker-trust-roots need --broker")
        }
    }

    /// Nil without a broker.
    func relay(logger: Logger) throws -> BrokerRelay? {
        guard let broker else { return nil }
        guard broker.lowercased().hasPrefix("mqtt") else {
            throw Failure(.usage, "--broker takes an mqtt:// or mqtts:// URL, not '\(broker.printable)'")
        }
        do throws(SignalingError) { try MQTTTransport.check(url: broker) } catch {
            throw Failure(.usage, error.description)
        }
        if let brokerTokenFile { _ = try TokenFile.read(brokerTokenFile) }
        return BrokerRelay(url: broker, passwordFile: brokerTokenFile, trustRootsFile: brokerTrustRoots, logger: logger)
    }
}
