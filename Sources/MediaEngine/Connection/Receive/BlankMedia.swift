/// What counts as a black frame and as silence after lossy coding.
enum BlankMedia {
    /// Black is 16; coding raises it a little, above all at the edges of blocks.
    private static let brightestBlack: UInt8 = 40
    /// One sample of so many columns and rows is looked at: nothing that a person could recognise is smaller.
    private static let step = 4
    /// At most so many of a thousand samples may be brighter: they are faults of the coding.
    private static let brightShare = 1
    /// -48 dBFS: Opus and G.722 make weak noise of silence.
    private static let loudestSilence: UInt16 = 128

    /// Whether a frame whose luma begins with `luma` is black; nil if that cannot be the luma of a frame of this size.
    static func isBlack(luma: UnsafeRawBufferPointer, width: Int, height: Int) -> Bool? {
        let stride = FrameMark.stride(width)
        guard width > 0, height > 0, luma.count >= stride * height else { return nil }
        let (columns, rows) = ((width + step - 1) / step, (height + step - 1) / step)
        let allowed = columns * rows * brightShare / 1_000
        var bright = 0
        for row in 0..<rows {
            let line = row * step * stride
            for column in 0..<columns where luma[line + column * step] > brightestBlack { bright += 1 }
            if bright > allowed { return false }
        }
        return true
    }

    /// Whether nothing of these samples can be heard, of whatever channels.
    static func isSilent(_ samples: UnsafeBufferPointer<Int16>) -> Bool {
        for sample in samples where sample.magnitude > loudestSilence { return false }
        return true
    }
}
