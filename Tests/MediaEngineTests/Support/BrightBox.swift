@testable import MediaEngine

/// The bright area of a frame, without the black bars.
struct BrightBox: Sendable, Equatable {
    /// Width and height of the whole frame.
    let frameSize: [Int]
    let left, top, width, height: Int

    /// Nil when no pixel is bright.
    init?(_ frame: VideoFrame) {
        let luma = frame.planes[0]
        func isBright(_ column: Int, _ row: Int) -> Bool {
            frame.bytes[luma.offset + row * luma.bytesPerRow + column] > 128
        }
        let columns = (0..<frame.width).filter { column in (0..<frame.height).contains { isBright(column, $0) } }
        let rows = (0..<frame.height).filter { row in (0..<frame.width).contains { isBright($0, row) } }
        guard let left = columns.first, let right = columns.last, let top = rows.first, let bottom = rows.last else {
            return nil
        }
        frameSize = [frame.width, frame.height]
        (self.left, self.top, width, height) = (left, top, right - left + 1, bottom - top + 1)
    }

    /// The box of the first frame with bright pixels that an end receives.
    static func first(of end: CallEnd) async throws -> BrightBox {
        let frames = end.peer.outputs.frames(.i420)
        return try await inTime("a bright frame") {
            for await frame in frames { if let box = BrightBox(frame) { return box } }
            throw MediaError.noFrame
        }
    }

    /// Lossy coding blurs edges.
    func isNear(left: Int, top: Int, width: Int, height: Int) -> Bool {
        [(self.left, left), (self.top, top), (self.width, width), (self.height, height)].allSatisfy {
            abs($0 - $1) <= 4
        }
    }
}
