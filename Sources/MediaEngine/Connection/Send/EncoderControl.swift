internal import Synchronization

/// The settings of an encoder: what this end requests, within what the peer's description allows.
final class EncoderControl: Sendable {
    private let codec: Codec
    private let bin: Element
    private let description: PipelineDescription
    /// Of the requested rate, and of what the path and the peer take: the parts that this encoder gets.
    private let (weight, portion): (Double, Double)

    /// The limits in the peer's description.
    private struct PeerLimits {
        var bandwidthKbit: Int?
        var parameters: String?
        var ptimeMs: Int?
    }

    private struct State {
        var targetBitrate = 0
        /// The latest values of the description's placeholders.
        var values: [String: String] = [:]
        var bitrateKbit: Int
        /// What the path takes; nil: it is not known, or enough.
        var availableKbit: Int?
        var limitedSince: ClockReading?
        var limitedSeconds = 0.0
        /// Every how many of the frames that the caps announce one arrives.
        var every = 1
        var opus: OpusParameters
        /// Of Opus.
        var protection = LossProtection()
        /// Nil before the peer's description is known.
        var peer: PeerLimits?

        func limitation(at now: ClockReading) -> (isNow: Bool, seconds: Double) {
            (limitedSince != nil, limitedSeconds + (limitedSince.map { (now - $0) / .seconds(1) } ?? 0))
        }
    }
    private let state: Mutex<State>
    /// One change at a time: the last one counts.
    private let applying = Mutex(())
    /// Whether the rate can be changed at all.
    let followsRate: Bool
    /// Whether the encoder divides its rate by the frame rate of the caps, whatever the time stamps say.
    private let ignoresTime: Bool
    /// Whether a change of the rate goes without a key frame.
    let changesRateSmoothly: Bool

    /// Controls `bin`, an instance of `description`.
    ///
    /// One of several encoders of a video gets `weight` of the rate that is requested, and `portion` of what the path and the peer take.
    init(
        of bin: Element, _ description: PipelineDescription, codec: Codec, bitrateKbit: Int, opus: OpusParameters,
        weight: Double = 1, portion: Double = 1
    ) throws(MediaError) {
        (self.weight, self.portion) = (weight, portion)
        self.codec = codec
        self.bin = bin
        self.description = description
        followsRate = Self.hasRate(description)
        // The others begin again with a key frame: x265enc makes a new encoder, vah264enc resets its own.
        let smooth = ["vp8enc", "vp9enc", "x264enc", "openh264enc"]
        changesRateSmoothly = bin.child("encoder")?.factoryName.map(smooth.contains) ?? false
        // With `tune=zerolatency`.
        ignoresTime = bin.child("encoder")?.factoryName == "x264enc"
        state = Mutex(State(bitrateKbit: bitrateKbit, opus: opus))
        try apply()
    }

    /// Whether the rate of an encoder with this description can be changed at all.
    static func hasRate(_ description: PipelineDescription) -> Bool {
        description.values["bitrate"] != nil || description.values["bitrateKbit"] != nil
    }

    /// The values that the encoder is set to, by the placeholders of its description.
    var values: [String: String] { state.withLock { $0.values } }

    /// The rate that the encoder is set to, in bit/s.
    var targetBitrate: Int { state.withLock { $0.targetBitrate } }

    /// Whether the path limits the rate.
    var isLimited: Bool { state.withLock { $0.limitedSince != nil } }

    /// Whether the path limits the rate, and how long it has, in s.
    var limitation: (isNow: Bool, seconds: Double) { state.withLock { $0.limitation(at: .now) } }

    /// What would be sent if the path took everything, in kbit/s.
    var wantedKbit: Int { state.withLock { wantedKbit(in: $0) } }

    /// What this end requests and the peer allows.
    private func wantedKbit(in state: State) -> Int {
        min(Int(Double(min(state.bitrateKbit, Self.mostKbit)) * weight), part(of: state.peer?.bandwidthKbit))
    }

    /// No encoder accepts more than a signed 32-bit number of bits.
    private static let mostKbit = 2_000_000

    private func part(of kbit: Int?) -> Int { kbit.map { Int(Double($0) * portion) } ?? .max }

    /// What this end requests, regardless of what the peer allows.
    var requested: (bitrateKbit: Int, opus: OpusParameters) { state.withLock { ($0.bitrateKbit, $0.opus) } }

    func set(bitrateKbit: Int) throws(MediaError) {
        state.withLock { $0.bitrateKbit = bitrateKbit }
        try apply()
    }

    /// Keeps the rate within what the path takes; nil: it takes everything.
    func limit(toKbit availableKbit: Int?) throws(MediaError) {
        let isNews = state.withLock { state in
            let now = ClockReading.now
            state.limitedSeconds = state.limitation(at: now).seconds
            state.limitedSince = availableKbit == nil ? nil : now
            defer { state.availableKbit = availableKbit }
            return state.availableKbit != availableKbit
        }
        if isNews { try apply() }
    }

    /// One of so many frames arrives from now on.
    func expect(oneOf every: Int) throws(MediaError) {
        let isNews = state.withLock { state in
            defer { state.every = every }
            return state.every != every
        }
        if isNews, ignoresTime { try apply() }
    }

    func set(_ opus: OpusParameters) throws(MediaError) {
        state.withLock { $0.opus = opus }
        try apply()
    }

    /// Notes the share of packets that the peer lost lately, 0 to 1; returns whether ``values`` may have changed.
    func note(loss: Double, at now: ClockReading) throws(MediaError) -> Bool {
        let isNews = state.withLock { $0.protection.note(loss, at: now) }
        if isNews { try apply() }
        return isNews
    }

    /// Applies what the peer's description says about the sent format.
    func agree(with section: MediaSection, payloadType: Int) throws(MediaError) {
        let format = section.formats.first { $0.payloadType == payloadType }
        state.withLock {
            $0.peer = PeerLimits(
                bandwidthKbit: section.bandwidthKbit, parameters: format?.parameters, ptimeMs: section.ptimeMs)
        }
        try apply()
    }

    private func apply() throws(MediaError) {
        try applying.withLock { _ throws(MediaError) in try applyState() }
    }

    private func applyState() throws(MediaError) {
        let state = state.withLock { $0 }
        // libopus accepts no less than 4 kbit/s.
        let lowest = codec == .opus ? 6 : 1
        let kbit = min(max(lowest, min(wantedKbit(in: state), part(of: state.availableKbit))), Self.mostKbit)
        let bits = kbit * 1_000
        let factor = ignoresTime ? state.every : 1
        var values = ["bitrate": String(bits * factor), "bitrateKbit": String(kbit * factor)]
        if codec == .opus {
            let agreed = state.opus.agreed(
                with: state.peer?.parameters, ptimeMs: state.peer?.ptimeMs, isLossy: state.protection.isOn)
            values.merge(agreed.encoderValues(bitrate: bits)) { _, new in new }
        } else if codec.kind == .audio {
            let ptime = state.opus.agreed(with: nil, ptimeMs: state.peer?.ptimeMs).ptimeMs
            for name in ["ptimeNs", "maxPtimeNs"] { values[name] = String(ptime * 1_000_000) }
        }
        let target = codec.fixedBitrate ?? values["bitrate"].flatMap { Int($0) }.map { $0 / factor } ?? bits
        self.state.withLock { ($0.targetBitrate, $0.values) = (target, values) }
        try description.set(values, on: bin)
    }
}
