/// The shape of raw audio: interleaved signed 16-bit samples.
struct SampleFormat: Equatable {
    let channels: Int
    let samplesPerSecond: Int

    /// Nil if `caps` are those of something else.
    init?(caps: PropertyValue?) {
        guard let fields = caps?.fields, fields["format"]?.stringValue == "S16LE",
            let channels = fields["channels"]?.intValue, (1...64).contains(channels),
            let rate = fields["rate"]?.intValue, rate > 0
        else { return nil }
        self.channels = channels
        samplesPerSecond = rate
    }
}
