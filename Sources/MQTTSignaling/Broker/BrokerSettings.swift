internal import CMosquitto
internal import Foundation

/// What a connection needs to know.
struct BrokerSettings: Sendable {
    /// A version of MQTT.
    enum Version: Sendable {
        case v5
        case v311

        var number: Int32 { self == .v5 ? Int32(MQTT_PROTOCOL_V5) : Int32(MQTT_PROTOCOL_V311) }
    }

    var host: String
    var port: Int
    var version: Version
    /// Identifies the client at the broker: secret, since another client with this id would replace it.
    var clientID: String
    var username: String
    var password: String?
    var keepAliveSeconds: Int
    /// The retained topic that the broker clears when the client vanishes.
    var willTopic: String
    /// Nil without TLS.
    var tls: TLS?

    /// Files in PEM.
    struct TLS: Sendable {
        var trustRootsFile: String?
        var certificateFile: String?
        var keyFile: String?

        /// The first of the files that cannot be read.
        var unreadableFile: String? {
            [trustRootsFile, certificateFile, keyFile].compactMap { $0 }
                .first { !FileManager.default.isReadableFile(atPath: $0) }
        }
    }
}
