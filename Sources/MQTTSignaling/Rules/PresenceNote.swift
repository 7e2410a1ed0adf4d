internal import CallProtocol
internal import FoundationEssentials

/// The retained message that says that a device is signed in.
struct PresenceNote: Sendable, Equatable, Codable {
    /// Identifies the program that signed in; the same when it connects again.
    var session: String
    /// Counts the notes of a program.
    var number: Int
    /// When that program signed in first, in ms since 1970 by its clock.
    var sinceUnixMs: Double
    /// When the note was sent, in ms since 1970 by the clock of its sender.
    var sentUnixMs: Double
    /// How long it counts, in ms; its sender repeats it before that.
    var validForMs: Int
    /// Whether the device takes calls of its pool; absent for a device that is no member of one.
    var free: Bool?
    /// Whether it is the first note of a connection of a member of a pool, which may not have been shown the notes of the others.
    var first: Bool?

    init(session: String, number: Int, sinceUnixMs: Double, sentUnixMs: Double, validForMs: Int) {
        (self.session, self.number, self.sinceUnixMs) = (session, number, sinceUnixMs)
        (self.sentUnixMs, self.validForMs) = (sentUnixMs, validForMs)
    }

    /// The longest validity that is believed.
    private static let longestMs = 3_600_000
    /// Until the year 10,000; up to there, a time plus 1 ms is another time.
    private static let times = 0...253_402_300_799_000.0
    private static let longestText = 1_024

    /// Nil for a text that is no such note.
    init?(decoding text: String) {
        guard text.utf8.count <= Self.longestText, SignalingLimits.isDecodable(text),
            let note = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)),
            (1...Self.longestMs).contains(note.validForMs), Self.times.contains(note.sentUnixMs),
            Self.times.contains(note.sinceUnixMs),
            note.session.utf8.count <= 64
        else { return nil }
        self = note
    }

    var text: String {
        guard let data = try? JSONEncoder().encode(self) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}
