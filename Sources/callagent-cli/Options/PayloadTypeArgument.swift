internal import ArgumentParser
internal import MediaEngine

/// A payload type for a format: `100=VP8/90000`, `101=H264/90000;packetization-mode=1`.
struct PayloadTypeArgument: ExpressibleByArgument {
    let rule: PayloadTypeRule

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let number = Int(parts[0]) else { return nil }
        let format = parts[1].split(separator: ";", maxSplits: 1)
        guard let rtpmap = format.first, rtpmap.contains("/") else { return nil }
        rule = PayloadTypeRule(
            rtpmap: String(rtpmap), fmtp: format.count > 1 ? String(format[1]) : nil, payloadType: number)
        guard (try? rule.check()) != nil else { return nil }
    }
}
