import Testing

@testable import MediaEngine

/// Records every frame and every audio buffer that an end decodes, with its time and its content.
///
/// A time is the presentation time in running time, so a delay of the test does not count.
final class ReceivedLog: Sendable {
    struct Frame: Sendable {
        let at: Duration
        let width: Int
        let height: Int
        /// The mean luma of each half.
        let top, bottom, left, right: Int
        /// The number in the frame stamp.
        let number: UInt32?

        var mean: Int { (top + bottom) / 2 }
    }

    struct Audio: Sendable {
        let at: Duration
        let isLoud: Bool
    }

    private let seen = Shared<[Frame]>([])
    private let heard = Shared<[Audio]>([])

    init(_ end: CallEnd, _ tracks: Set<TrackID> = [.video]) async throws {
        for track in tracks {
            let pad = try #require(await end.peer.media?.receiving[track]?.decoded)
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
            // The pad keeps its probes, so the probe must not keep the pad.
            pad.probe { [seen, heard, weak owner = pad.ref] buffer in
                let at = Duration.nanoseconds(owner.flatMap { Pad(ref: $0).runningTime(of: buffer.reference) } ?? 0)
                _ = buffer.reference.withBytes { bytes in
                    if track.kind == .audio {
                        let isLoud = bytes.bindMemory(to: Int16.self).contains { $0.magnitude > 2_000 }
                        heard.update { $0.append(Audio(at: at, isLoud: isLoud)) }
                    } else if let frame = Self.frame(at, bytes, size.value.width, size.value.height) {
                        seen.update { $0.append(frame) }
                    }
                }
                return .pass
            }
        }
    }

    var frames: [Frame] { seen.value }
    var audio: [Audio] { heard.value }
    var last: Frame? { seen.value.last }

    /// The times at which frames became bright.
    var flashes: [Duration] {
        zip(frames, frames.dropFirst()).filter { $0.mean < 100 && $1.mean >= 100 }.map { $1.at }
    }

    /// The times at which audio became loud after at least a fifth of a second of silence.
    var beeps: [Duration] {
        var (found, quietSince) = ([Duration](), Duration?.none)
        for audio in audio {
            if audio.isLoud {
                if let quietSince, audio.at - quietSince > .milliseconds(200) { found.append(audio.at) }
                quietSince = nil
            } else {
                quietSince = quietSince ?? audio.at
            }
        }
        return found
    }

    private static func frame(
        _ at: Duration, _ bytes: UnsafeRawBufferPointer, _ width: Int, _ height: Int
    ) -> Frame? {
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
        return Frame(
            at: at, width: width, height: height, top: mean(0..<width, 0..<height / 2),
            bottom: mean(0..<width, height / 2..<height), left: mean(0..<width / 2, 0..<height),
            right: mean(width / 2..<width, 0..<height),
            number: FrameMark(luma: bytes, width: width, height: height)?.number)
    }
}
