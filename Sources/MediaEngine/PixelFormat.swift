/// How the bytes of a picture are arranged.
public enum PixelFormat: String, Sendable, CaseIterable {
    /// Three planes: luma, then blue and red difference of half the width and height each (4:2:0), 1.5 bytes for a pixel.
    case i420 = "I420"
    /// Two planes: luma, then both differences in turn (4:2:0), 1.5 bytes for a pixel.
    case nv12 = "NV12"
    /// Red, green, blue: 3 bytes for a pixel.
    case rgb = "RGB"
    /// Red, green, blue, and one byte that nobody reads: 4 bytes for a pixel.
    case rgbx = "RGBx"
    /// Blue, green, red, and one byte that nobody reads: 4 bytes for a pixel.
    case bgrx = "BGRx"
    /// Luma only: 1 byte for a pixel.
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
