/// How pictures are turned before they are sent.
public enum VideoOrientation: String, Sendable, Hashable, CaseIterable {
    /// As they are captured.
    case upright = "0"
    /// A quarter turn clockwise; width and height change places.
    case quarter = "90"
    /// Upside down.
    case half = "180"
    /// A quarter turn counter-clockwise; width and height change places.
    case threeQuarters = "270"
    /// Left and right change places.
    case mirrored = "mirror"
    /// Top and bottom change places.
    case flipped = "flip"
    /// As the device or the file says; upright where it says nothing.
    case automatic = "auto"

    /// The nick of the value of `videoflip`'s property `video-direction`.
    var direction: String {
        switch self {
        case .upright: "identity"
        case .quarter: "90r"
        case .half: "180"
        case .threeQuarters: "90l"
        case .mirrored: "horiz"
        case .flipped: "vert"
        case .automatic: "auto"
        }
    }
}
