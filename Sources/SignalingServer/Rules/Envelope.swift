internal import CallProtocol
internal import FoundationEssentials

/// What the server reads of a message: who, to whom, about which call.
///
/// The rest is not its business.
///
/// A field that is absent or of another type is nil; whether that matters is for the ``Switchboard`` to say.
struct Envelope: Sendable, Equatable {
    var version: Double?
    var type: String?
    var id: String?
    var callId: String?
    var from: String?
    var to: String?
    var generation: Int?
    /// The sender's device, and the only device of the receiver that is meant.
    ///
    /// Empty, and so no name, when it is there but no string: a message for one device must not go to all of them.
    var device: String?
    var toDevice: String?
    /// Of `cancel` only: the device that it is not about.
    var winner: String?
    /// Why a call ended, for log and metrics; of messages that end one.
    var code: Int?
    /// Of `signIn` only.
    var user: String?
    var resume: String?
    /// Of `signIn` and `renew`.
    var token: String?
    /// Of `watch` only.
    var users: Users?

    /// Whom a client wants to watch.
    enum Users: Sendable, Equatable {
        case everybody
        case named([String])
    }
}

extension Envelope {
    /// Reads the envelope of a JSON object in UTF-8; nil for everything that is not one.
    init?(decoding text: some Collection<UInt8>) {
        let data = Data(text)
        // JSON has no NUL outside of an escape; the decoder would take it as a sign of UTF-16 and read another text.
        guard !data.contains(0) else { return nil }
        let shape = JSONShape(data)
        // Deeper ones may trap the decoder, see SignalingLimits.isShallow.
        guard shape.depth <= SignalingLimits.nesting, let decoded = try? JSONDecoder().decode(Decoded.self, from: data)
        else { return nil }
        // Decoders disagree about which of two equal keys counts: a sender could show one `from` to this server and
        // another one to the receiver.
        guard shape.topLevelKeys == decoded.keyCount else { return nil }
        self = decoded.envelope
    }
}

/// The decoder's view of an envelope: it takes any key, so that the keys can be counted.
private struct Decoded: Decodable {
    let envelope: Envelope
    let keyCount: Int

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        keyCount = fields.allKeys.count
        // A field that is absent is not asked for: the decoder's error would cost more than the rest together.
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
