/// The layout of a frame's bytes.
public enum PixelFormat: String, Sendable, CaseIterable {
    /// Three planes: luma, then blue and red difference of half the width and height each (4:2:0), 1.5 bytes per pixel.
    case i420 = "I420"
    /// Two planes: luma, then both differences interleaved (4:2:0), 1.5 bytes per pixel.
    case nv12 = "NV12"
    /// Red, green, blue: 3 bytes per pixel.
    case rgb = "RGB"
    /// Red, green, blue, and one unused byte: 4 bytes per pixel.
    case rgbx = "RGBx"
    /// Blue, green, red, and one unused byte: 4 bytes per pixel.
    case bgrx = "BGRx"
    /// Luma only: 1 byte per pixel.
    case gray8 = "GRAY8"

    func byteCount(_ pixels: Int) -> Int {
        switch self {
        case .i420, .nv12: pixels * 3 / 2
        case .rgb: pixels * 3
        case .rgbx, .bgrx: pixels * 4
        case .gray8: pixels
        }
    }
}
