/// How the command line writes sources.
enum SourceText {
    /// Splits `NAME:CHOICE`, nil without a name; an RTSP URL becomes the choice of the name `rtsp`.
    static func parts(_ text: String) -> (name: String, choice: String?)? {
        if ["rtsp", "rtsps", "rtspt", "rtspu"].contains(where: { text.hasPrefix("\($0)://") }) {
            return ("rtsp", text)
        }
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        return parts.first.map { ($0, parts.count > 1 ? parts[1] : nil) }
    }

    /// The URL for `rtspsrc`: by TCP unless UDP was requested, since trying UDP first takes seconds behind a firewall.
    static func rtspLocation(_ url: String) -> String {
        url.hasPrefix("rtsp://") ? "rtspt://" + url.dropFirst("rtsp://".count) : url
    }
}
