/// The rate of the video for a bandwidth, and the reverse.
struct VideoShare: Sendable, Equatable {
    /// What the encoder may make, in kbit/s.
    let kbit: Int

    /// It never gets less, in kbit/s: the video would not move.
    static let lowestKbit = 50
    /// What that takes without losses, in bit/s with all headers.
    static let leastBandwidth = Double(lowestKbit) * 1_000 / payload + overhead
    /// The headers of one packet of each of 30 frames a second, in bit/s; those of further packets are a share.
    private static let overhead = Double(30 * PacketReport.overhead * 8)
    private static let payload = 0.95
    /// At the beginning there is room for what is sent again.
    private static let reserve = 1.25

    /// `bandwidth` is in bit/s with all headers, `loss` the share of packets that are lost, and sent again.
    init(of bandwidth: Double, loss: Double) {
        let rest = (bandwidth - Self.overhead) * Self.payload / (1 + min(loss, 0.3))
        kbit = max(Int(rest / 1_000), Self.lowestKbit)
    }

    /// A bandwidth that is enough for this rate, in bit/s with all headers.
    static func bandwidth(forKbit kbit: Int) -> Double {
        (Double(kbit) * 1_000 / payload + overhead) * reserve
    }
}
