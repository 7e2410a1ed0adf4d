/// How the command line writes sources.
enum SourceText {
    /// `NAME:CHOICE` in its parts, where a URL is a choice of the name that its scheme begins with; nil when there is no name.
    static func parts(_ text: String) -> (name: String, choice: String?)? {
        if ["rtsp", "rtsps", "rtspt", "rtspu"].contains(where: { text.hasPrefix("\($0)://") }) {
            return ("rtsp", text)
        }
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        return parts.first.map { ($0, parts.count > 1 ? parts[1] : nil) }
    }

    /// The URL as `rtspsrc` takes it: by TCP unless UDP was asked for, since UDP first means seconds behind a firewall.
    static func rtspLocation(_ url: String) -> String {
        url.hasPrefix("rtsp://") ? "rtspt://" + url.dropFirst("rtsp://".count) : url
    }
}
