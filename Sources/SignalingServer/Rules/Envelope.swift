internal import CallProtocol
internal import FoundationEssentials

/// The fields of a message that the server reads: sender, receiver, call.
///
/// It does not look at the others. A field that is absent or of another type is nil; the ``Switchboard`` decides whether that
/// matters.
struct Envelope: Sendable, Equatable {
    var version: Double?
    var type: String?
    var id: String?
    var callId: String?
    var from: String?
    var to: String?
    var generation: Int?
    /// The sender's device, and the only receiving device.
    ///
    /// If the field is present but not a string, it is empty here, and so no name: a message for one device must not go to all devices.
    var device: String?
    var toDevice: String?
    /// In `cancel` only: the device that the cancel is not about.
    var winner: String?
    /// In messages that end a call: the reason, for log and metrics.
    var code: Int?
    /// In `signIn` only.
    var user: String?
    var resume: String?
    /// In `signIn` and `renew`.
    var token: String?
    /// In `watch` only.
    var users: Users?

    /// The users that a client wants to watch.
    enum Users: Sendable, Equatable {
        case everybody
        case named([String])
    }
}

extension Envelope {
    /// Reads the envelope of a JSON object in UTF-8; nil for everything else.
    init?(decoding text: some Collection<UInt8>) {
        let data = Data(text)
        // JSON has no NUL outside of an escape; the decoder would mistake the text for UTF-16.
        guard !data.contains(0) else { return nil }
        let shape = JSONShape(data)
        // Deeper nesting may trap the decoder, see SignalingLimits.isDecodable.
        guard shape.depth <= SignalingLimits.nesting, let decoded = try? JSONDecoder().decode(Decoded.self, from: data)
        else { return nil }
        // Decoders disagree about which of two equal keys counts: this server and the receiver could read different
        // values of `from`.
        guard shape.topLevelKeys == decoded.keyCount else { return nil }
        self = decoded.envelope
    }
}

/// The decoder's view of an envelope: it accepts any key, so that the keys can be counted.
private struct Decoded: Decodable {
    let envelope: Envelope
    let keyCount: Int

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        keyCount = fields.allKeys.count
        // Absent fields are not decoded: the decoder's error would cost more than everything else together.
        func value<Value: Decodable>(_ key: String, _ type: Value.Type = Value.self) -> Value? {
            let key = Key(stringValue: key)
            return fields.contains(key) ? try? fields.decode(type, forKey: key) : nil
        }
        func name(_ key: String) -> String? {
            let field = Key(stringValue: key)
            guard fields.contains(field), (try? fields.decodeNil(forKey: field)) == false else { return nil }
            return value(key) ?? ""
        }
        let users: Envelope.Users? =
            if let names: [String] = value("users") { .named(names) } else if value("users") == "*" { .everybody } else
            { nil }
        envelope = Envelope(
            version: value("v"), type: value("type"), id: value("id"), callId: value("callId"), from: value("from"),
            to: value("to"), generation: value("generation"), device: name("device"), toDevice: name("toDevice"),
            winner: value("winner"), code: value("code"),
            user: value("user"), resume: value("resume"), token: value("token"), users: users)
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }
}
