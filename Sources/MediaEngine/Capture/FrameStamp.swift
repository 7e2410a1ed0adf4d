internal import Foundation
internal import Synchronization

/// Burns a ``FrameMark`` into frames, below it number and time of day (UTC) in digits, and a ``ReferenceBand``: programs and people can see which
/// frame it is, how old it is, and what coding did to it.
///
/// Only the luma of planar 4:2:0 frames is written.
final class FrameStamp: Sendable {
    private let count = Mutex<UInt32>(0)

    /// Stamps every frame that passes this pad.
    func write(at pad: Pad) {
        pad.edit { bytes, caps in
            guard let width = caps?.fields?["width"]?.intValue, let height = caps?.fields?["height"]?.intValue else {
                return
            }
            let number = self.count.withLock { count in
                count &+= 1
                return count
            }
            Self.stamp(bytes, width: width, height: height, number: number, unixMs: Self.now)
        }
    }

    /// A frame without room for the mark stays as it is.
    static func stamp(_ bytes: UnsafeMutableRawBufferPointer, width: Int, height: Int, number: UInt32, unixMs: Int) {
        let mark = FrameMark(number: number, time: UInt32(truncatingIfNeeded: unixMs))
        guard mark.write(to: bytes, width: width, height: height) else { return }
        ReferenceBand(of: mark.number, width: width, height: height)?.write(to: bytes)
        let stride = FrameMark.stride(width)
        let top = FrameMark.rows * height / FrameMark.rowsOfFrame
        let scale = min(max(1, width / 128), (height - 2 * top) / 9)
        let text = "\(mark.number) \(timeOfDay(unixMs))"
        fill(bytes, stride, x: 0, y: top, width: min(width, (text.count * 6 + 1) * scale), height: 9 * scale, 16)
        for (index, character) in text.enumerated() {
            guard let rows = Self.glyphs[character] else { continue }
            let left = (index * 6 + 1) * scale
            guard left + 5 * scale <= width else { return }
            for (row, bits) in rows.enumerated() {
                for column in 0..<5 where bits >> (4 - column) & 1 == 1 {
                    fill(
                        bytes, stride, x: left + column * scale, y: top + (row + 1) * scale, width: scale,
                        height: scale, 235)
                }
            }
        }
    }

    /// The time in ms since 1970.
    static var now: Int { Int(preciseNow) }

    /// The same, with fractions of a ms.
    static var preciseNow: Double { Date().timeIntervalSince1970 * 1_000 }

    private static func fill(
        _ bytes: UnsafeMutableRawBufferPointer, _ stride: Int, x: Int, y: Int, width: Int, height: Int, _ value: UInt8
    ) {
        for row in y..<(y + height) {
            let start = row * stride + x
            guard start >= 0, start + width <= bytes.count else { return }
            UnsafeMutableRawBufferPointer(rebasing: bytes[start..<(start + width)]).initializeMemory(
                as: UInt8.self, repeating: value)
        }
    }

    /// The time of day in UTC, to the millisecond.
    private static func timeOfDay(_ ms: Int) -> String {
        let parts = [ms / 3_600_000 % 24, ms / 60_000 % 60, ms / 1_000 % 60]
        let clock = parts.map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: ":")
        let fraction = String(ms % 1_000)
        return clock + "." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }

    /// Seven rows of five pixels each.
    private static let glyphs: [Character: [UInt8]] = [
        "0": [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
        "1": [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        "2": [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
        "3": [0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110],
        "4": [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
        "5": [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
        "6": [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
        "7": [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
        "8": [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
        "9": [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
        ":": [0b00000, 0b00100, 0b00100, 0b00000, 0b00100, 0b00100, 0b00000],
        ".": [0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b00110, 0b00110],
    ]
}
