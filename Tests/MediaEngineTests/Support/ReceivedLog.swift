import Testing

@testable import MediaEngine

/// Every picture and every buffer of sound that an end decodes, with its moment and what it looks or sounds like.
///
/// The moments are those at which it is to be presented, in running time: whatever holds up the test does not count.
final class ReceivedLog: Sendable {
    struct Picture: Sendable {
        let at: Duration
        let width: Int
        let height: Int
        /// The mean luma of each half.
        let top, bottom, left, right: Int
        /// What a frame stamp says.
        let number: UInt32?

        var mean: Int { (top + bottom) / 2 }
    }

    struct Sound: Sendable {
        let at: Duration
        let isLoud: Bool
    }

    private let seen = Shared<[Picture]>([])
    private let heard = Shared<[Sound]>([])

    init(_ end: CallEnd, _ kinds: Set<MediaKind> = [.video]) async throws {
        for kind in kinds {
            let pad = try #require(await end.peer.media?.receiving[kind]?.decoded)
            let size = Shared((width: 0, height: 0))
            let note: @Sendable (PropertyValue?) -> Void = { caps in
                guard let width = caps?.fields?["width"]?.intValue, let height = caps?.fields?["height"]?.intValue
                else {
                    return
                }
                size.set((width, height))
            }
            note(pad.caps)
            pad.onEvent { if case .caps(let caps) = $0 { note(caps) } }
            // The pad keeps its probes.
            pad.probe { [seen, heard, weak owner = pad.ref] buffer in
                let at = Duration.nanoseconds(owner.flatMap { Pad(ref: $0).runningTime(of: buffer) } ?? 0)
                _ = buffer.withBytes { bytes in
                    if kind == .audio {
                        let isLoud = bytes.bindMemory(to: Int16.self).contains { $0.magnitude > 2_000 }
                        heard.update { $0.append(Sound(at: at, isLoud: isLoud)) }
                    } else if let picture = Self.picture(at, bytes, size.value.width, size.value.height) {
                        seen.update { $0.append(picture) }
                    }
                }
                return .pass
            }
        }
    }

    var pictures: [Picture] { seen.value }
    var sounds: [Sound] { heard.value }
    var last: Picture? { seen.value.last }

    /// The moments at which pictures became bright.
    var flashes: [Duration] {
        zip(pictures, pictures.dropFirst()).filter { $0.mean < 100 && $1.mean >= 100 }.map { $1.at }
    }

    /// The moments at which sound became loud after at least a fifth of a second of silence.
    var beeps: [Duration] {
        var (found, quietSince) = ([Duration](), Duration?.none)
        for sound in sounds {
            if sound.isLoud {
                if let quietSince, sound.at - quietSince > .milliseconds(200) { found.append(sound.at) }
                quietSince = nil
            } else {
                quietSince = quietSince ?? sound.at
            }
        }
        return found
    }

    private static func picture(
        _ at: Duration, _ bytes: UnsafeRawBufferPointer, _ width: Int, _ height: Int
    ) -> Picture? {
        let stride = (width + 3) & ~3
        guard width > 1, height > 1, bytes.count >= stride * height else { return nil }
        func mean(_ columns: Range<Int>, _ rows: Range<Int>) -> Int {
            var (sum, count) = (0, 0)
            for row in Swift.stride(from: rows.lowerBound, to: rows.upperBound, by: 4) {
                for column in Swift.stride(from: columns.lowerBound, to: columns.upperBound, by: 4) {
                    sum += Int(bytes[row * stride + column])
                    count += 1
                }
            }
            return sum / max(count, 1)
        }
        return Picture(
            at: at, width: width, height: height, top: mean(0..<width, 0..<height / 2),
            bottom: mean(0..<width, height / 2..<height), left: mean(0..<width / 2, 0..<height),
            right: mean(width / 2..<width, 0..<height),
            number: FrameStamp.read(bytes, width: width, height: height))
    }
}
