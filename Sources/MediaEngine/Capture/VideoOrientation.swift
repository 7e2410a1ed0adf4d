/// How frames are turned before they are sent.
public enum VideoOrientation: String, Sendable, Hashable, CaseIterable {
    /// As they are captured.
    case upright = "0"
    /// A quarter turn clockwise; swaps width and height.
    case quarter = "90"
    /// Upside down.
    case half = "180"
    /// A quarter turn counter-clockwise; swaps width and height.
    case threeQuarters = "270"
    /// Mirrored left to right.
    case mirrored = "mirror"
    /// Mirrored top to bottom.
    case flipped = "flip"
    /// As the device or the file specifies; upright if it does not.
    case automatic = "auto"

    /// The value's nick in `videoflip`'s property `video-direction`.
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
