public import ArgumentParser
public import MediaEngine

/// The size of the video on the command line: `640x360` or `640x360@15`.
enum VideoSizeArgument {
    /// Nil if `text` is no size.
    static func format(_ text: String) -> VideoFormat? {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let numbers = parts[0].split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard numbers.count == 2, numbers.allSatisfy({ (16...4_096).contains($0) && $0 % 2 == 0 }) else { return nil }
        guard parts.count > 1 else { return VideoFormat(width: numbers[0], height: numbers[1]) }
        guard parts.count == 2, let rate = Int(parts[1]), (1...120).contains(rate) else { return nil }
        return VideoFormat(width: numbers[0], height: numbers[1], framesPerSecond: rate)
    }

    /// The explanation of a wrong size, for the end of an error line.
    static func advice(_ text: String) -> String {
        "'\(text)' is no size; use WIDTHxHEIGHT with even numbers from 16 to 4096, such as 640x360, "
            + "and @FPS from 1 to 120 after it for another rate than 30"
    }
}

extension DegradationPreference: ExpressibleByArgument {}

extension DecodingPolicy: ExpressibleByArgument {}

/// How often media is encoded that several calls send.
enum EncodeArgument: String, ExpressibleByArgument, CaseIterable {
    case once, each
}

extension VideoOrientation: ExpressibleByArgument {
    /// All accepted values.
    static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

extension AudioProcessing: ExpressibleByArgument {
    /// All accepted values.
    static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// A list of codecs in an option: `vp8,h264`.
enum CodecList {
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` with the first codec that is not of this kind.
    static func codecs(_ text: String, kind: MediaKind) throws(MediaError) -> [Codec] {
        var codecs: [Codec] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let codec = Codec(rawValue: word.lowercased()), codec.kind == kind else {
                throw .unknownChoice(
                    kind: "\(kind.rawValue) codec", value: String(word), known: Codec.preferred(kind).map(\.rawValue))
            }
            if !codecs.contains(codec) { codecs.append(codec) }
        }
        return codecs
    }
}

/// A set of Opus parameters by name.
enum OpusArgument: String, ExpressibleByArgument, CaseIterable {
    case full, stack, economical

    var parameters: OpusParameters {
        switch self {
        case .full: OpusParameters()
        case .stack: .stack
        case .economical: .economical
        }
    }
}

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
