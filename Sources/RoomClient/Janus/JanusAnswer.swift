/// The answer to a subscription as Janus needs it to find out which stream feedback is about.
///
/// Janus looks for the m-line of an RTCP packet by the SSRC of its sender, as if each m-line had a sender of its own (`janus_ice_cb_nice_recv` in ice.c).
/// GStreamer's session sends the feedback about all streams with any of its SSRCs. So Janus would drop most requests for key frames and retransmissions: it
/// takes them for feedback about audio. Here all SSRCs of this end belong to the video: Janus keeps two of an m-line when they form a group.
enum JanusAnswer {
    static func text(_ answer: String) -> String {
        var lines = answer.split(whereSeparator: \.isNewline)
        guard let video = lines.firstIndex(where: { $0.hasPrefix("m=video ") }) else { return answer }
        let end = lines[lines.index(after: video)...].firstIndex { $0.hasPrefix("m=") } ?? lines.endIndex
        // The retransmissions of what is not sent have none that is used.
        guard let own = firstSource(lines[video..<end]), let other = firstSource(lines[..<video] + lines[end...]) else {
            return answer
        }
        let sources = [
            "a=ssrc-group:FID \(own) \(other)", "a=ssrc:\(own) cname:callagent", "a=ssrc:\(other) cname:callagent",
        ]
        let (before, after) = (lines[..<end], lines[end...])
        lines = [before, sources.map { $0[...] }[...], after].flatMap { part in
            part.filter { !$0.hasPrefix("a=ssrc") || sources.contains(String($0)) }
        }
        return lines.map { $0 + "\r\n" }.joined()
    }

    private static func firstSource(_ lines: ArraySlice<Substring>) -> Substring? {
        lines.first { $0.hasPrefix("a=ssrc:") }?.dropFirst("a=ssrc:".count).prefix { $0 != " " }
    }
}
