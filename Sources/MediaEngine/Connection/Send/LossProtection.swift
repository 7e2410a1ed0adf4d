/// Whether packets of Opus carry a copy of the one before (in-band FEC, RFC 6716 section 2.1.7), because the peer loses many.
///
/// The copies take bits from the audio and make libopus code it as speech, so they come with losses and go when these have been over for a while. A pure value.
struct LossProtection: Sendable {
    /// The average shares of lost packets above which the copies begin, and below which they end.
    private static let (much, little) = (0.018, 0.01)
    /// How long there is little loss before they end.
    private static let calm = Duration.seconds(10)
    /// The weight of the latest report, of about a second, in the average.
    private static let weight = 0.2

    private(set) var isOn = false
    private var average = 0.0
    private var calmSince: ClockReading?

    /// Notes the share of packets that the peer lost lately, 0 to 1; returns whether ``isOn`` changed.
    mutating func note(_ share: Double, at now: ClockReading) -> Bool {
        average += Self.weight * (share - average)
        calmSince = average < Self.little ? calmSince ?? now : nil
        let was = isOn
        if average > Self.much {
            isOn = true
        } else if let calmSince, now - calmSince >= Self.calm {
            isOn = false
        }
        return isOn != was
    }
}
