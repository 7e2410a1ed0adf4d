internal import Foundation
internal import Synchronization

/// Burns a frame counter and the time of day into frames, so that people and programs can see which frame it is and how old it is.
///
/// The counter is a row of 32 blocks at the top, white for 1, the highest bit first, which survives lossy coding; below it are counter and
/// time (UTC) in digits. Only the luma of planar 4:2:0 frames is written.
final class FrameStamp: Sendable {
    private let count = Mutex<UInt32>(0)

    /// Stamps every frame that reaches this sink pad.
    func write(at pad: Pad) {
        pad.edit { bytes, caps in
            guard let width = caps?.fields?["width"]?.intValue, let height = caps?.fields?["height"]?.intValue else {
                return
            }
            let number = self.count.withLock { count in
                count &+= 1
                return count
            }
            Self.stamp(bytes, width: width, height: height, number: number, time: Self.now())
        }
    }

    /// Reads the number from a stamped frame after encoding and decoding; nil when the blocks are neither black nor white.
    static func read(_ luma: UnsafeRawBufferPointer, width: Int, height: Int) -> UInt32? {
        let (block, stride) = (blockSize(width), stride(width))
        guard block > 0, height >= block, luma.count >= stride * block else { return nil }
        var number: UInt32 = 0
        for bit in 0..<32 {
            let value = luma[stride * (block / 2) + bit * block + block / 2]
            guard value < 80 || value > 170 else { return nil }
            number = number << 1 | (value > 170 ? 1 : 0)
        }
        return number
    }

    static func stamp(_ bytes: UnsafeMutableRawBufferPointer, width: Int, height: Int, number: UInt32, time: String) {
        let (block, stride) = (blockSize(width), stride(width))
        guard block > 0, height >= block * 6, bytes.count >= stride * height else { return }
        for bit in 0..<32 {
            let isSet = number >> UInt32(31 - bit) & 1 == 1
            fill(bytes, stride, x: bit * block, y: 0, width: block, height: block, isSet ? 235 : 16)
        }
        let scale = max(1, block / 4)
        let text = "\(number) \(time)"
        fill(bytes, stride, x: 0, y: block, width: min(width, (text.count * 6 + 1) * scale), height: 9 * scale, 16)
        for (index, character) in text.enumerated() {
            guard let rows = Self.glyphs[character] else { continue }
            let left = (index * 6 + 1) * scale
            guard left + 5 * scale <= width else { return }
            for (row, bits) in rows.enumerated() {
                for column in 0..<5 where bits >> (4 - column) & 1 == 1 {
                    fill(
                        bytes, stride, x: left + column * scale, y: block + (row + 1) * scale, width: scale,
                        height: scale, 235)
                }
            }
        }
    }

    /// In pixels; 0 when the frame is too small for a block that survives encoding.
    private static func blockSize(_ width: Int) -> Int { width >= 128 ? width / 32 & ~1 : 0 }

    /// GStreamer pads each row of luma to a multiple of four bytes.
    private static func stride(_ width: Int) -> Int { (width + 3) & ~3 }

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
    private static func now() -> String {
        let ms = Int(Date().timeIntervalSince1970 * 1_000)
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
