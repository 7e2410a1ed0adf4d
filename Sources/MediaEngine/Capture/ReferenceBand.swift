internal import Foundation

/// A band of upright waves at the bottom of a frame, which moves with the frame's number: a receiver knows what it should look like, at any size.
///
/// It is smooth and moves slowly, so it costs few bits. Only luma is written and read.
struct ReferenceBand {
    /// How a band differs from what it should look like.
    struct Difference: Equatable {
        /// The mean of the squares of the differences of luma.
        let meanSquare: Double
        /// The structural similarity (SSIM): 1 for equal pixels.
        let similarity: Double

        /// The peak signal-to-noise ratio in dB, at most ``greatestPsnr``.
        var psnr: Double {
            meanSquare > 0 ? min(Self.greatestPsnr, 10 * log10(255 * 255 / meanSquare)) : Self.greatestPsnr
        }

        static let greatestPsnr = 60.0
    }

    /// The luma of each line.
    private let line: [UInt8]
    /// The lines of the band in the frame.
    private let lines: Range<Int>
    private let stride: Int

    /// The height of the band, in rows of which a frame has ``FrameMark/rowsOfFrame``.
    private static let rows = 2
    /// So many frames move the band by one wave.
    private static let period: UInt32 = 80
    private static let waves = 8.0
    /// Pixels at the edges that are not compared: a scaler mixes them with others.
    private static let margin = 2
    /// The width and height of the parts whose similarity is measured.
    private static let blockSize = 8

    /// The band of the frame with this number; nil if the frame has no room for a ``FrameMark``.
    init?(of number: UInt32, width: Int, height: Int) {
        guard FrameMark.hasRoom(width, height) else { return nil }
        let phase = Double(number % Self.period) / Double(Self.period)
        line = (0..<width).map { column in
            let turns = Self.waves * (Double(column) + 0.5) / Double(width) + phase
            return UInt8(128.5 + 60 * sin(2 * .pi * turns))
        }
        lines = (height - Self.rows * height / FrameMark.rowsOfFrame)..<height
        stride = FrameMark.stride(width)
    }

    /// Writes the band into the luma of a frame; a frame that is too short stays as it is.
    func write(to luma: UnsafeMutableRawBufferPointer) {
        guard luma.count >= lines.upperBound * stride else { return }
        for number in lines {
            let start = number * stride
            UnsafeMutableRawBufferPointer(rebasing: luma[start..<(start + line.count)]).copyBytes(from: line)
        }
    }

    /// Compares the luma of a decoded frame; nil if it is too short, or too small for a block.
    func difference(to luma: UnsafeRawBufferPointer) -> Difference? {
        guard luma.count >= lines.upperBound * stride else { return nil }
        var (squares, similarity, blocks) = (0.0, 0.0, 0)
        let (margin, size) = (Self.margin, Self.blockSize)
        for top in Swift.stride(from: lines.lowerBound + margin, through: lines.upperBound - margin - size, by: size) {
            for left in Swift.stride(from: margin, through: line.count - margin - size, by: size) {
                var block = BlockSums()
                for y in top..<(top + size) {
                    for x in left..<(left + size) { block.add(Double(line[x]), Double(luma[y * stride + x])) }
                }
                squares += block.squares
                similarity += block.similarity
                blocks += 1
            }
        }
        guard blocks > 0 else { return nil }
        return Difference(
            meanSquare: squares / Double(blocks * size * size), similarity: similarity / Double(blocks))
    }
}

/// Sums over the pixels of two frames, for their structural similarity.
///
/// See Wang et al., "Image quality assessment: from error visibility to structural similarity" (2004).
private struct BlockSums {
    private var count = 0.0
    private var (x, y, xx, yy, xy) = (0.0, 0.0, 0.0, 0.0, 0.0)

    mutating func add(_ first: Double, _ second: Double) {
        count += 1
        x += first
        y += second
        xx += first * first
        yy += second * second
        xy += first * second
    }

    /// The sum of the squares of the differences.
    var squares: Double { xx - 2 * xy + yy }

    var similarity: Double {
        let (meanX, meanY) = (x / count, y / count)
        let (varianceX, varianceY) = (xx / count - meanX * meanX, yy / count - meanY * meanY)
        let covariance = xy / count - meanX * meanY
        // The constants of the paper for 8-bit samples.
        let (c1, c2) = (6.5025, 58.5225)
        return (2 * meanX * meanY + c1) * (2 * covariance + c2)
            / ((meanX * meanX + meanY * meanY + c1) * (varianceX + varianceY + c2))
    }
}
