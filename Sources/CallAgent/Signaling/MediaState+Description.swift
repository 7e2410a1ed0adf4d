extension MediaState {
    /// What the sender of a session description sends, by its m-lines.
    package init(sentBy description: String) {
        self = .nothing
        var kind: WritableKeyPath<MediaState, MediaState.Sending>?
        for line in description.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("m=") {
                let isUsed = line.split(separator: " ").dropFirst().first != "0"
                kind = !isUsed ? nil : line.hasPrefix("m=audio") ? \.audio : line.hasPrefix("m=video") ? \.video : nil
                // The default of an m-line is both directions (RFC 8866 section 6.7).
                if let kind { self[keyPath: kind] = .on }
            } else if line == "a=recvonly" || line == "a=inactive", let kind {
                self[keyPath: kind] = .off
            }
        }
    }
}
