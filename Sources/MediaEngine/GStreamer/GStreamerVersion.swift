/// A release of GStreamer.
struct GStreamerVersion: Comparable, CustomStringConvertible, Sendable {
    let major: Int
    let minor: Int
    let micro: Int

    init(_ major: Int, _ minor: Int, _ micro: Int = 0) { (self.major, self.minor, self.micro) = (major, minor, micro) }

    static func < (first: GStreamerVersion, second: GStreamerVersion) -> Bool {
        (first.major, first.minor, first.micro) < (second.major, second.minor, second.micro)
    }

    var description: String { "\(major).\(minor).\(micro)" }
}
