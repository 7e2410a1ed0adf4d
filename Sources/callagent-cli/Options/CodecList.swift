internal import MediaEngine

/// Codecs as an option lists them: `vp8,h264`.
enum CodecList {
    /// - Throws: ``MediaError/unknownChoice(kind:value:known:)`` with the first that is none of this kind.
    static func codecs(_ text: String, kind: MediaKind) throws(MediaError) -> [Codec] {
        var codecs: [Codec] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let codec = Codec(rawValue: word.lowercased()), codec.kind == kind else {
                throw .unknownChoice(
                    kind: "\(kind.rawValue) codec", value: String(word), known: Codec.preferred(kind).map(\.rawValue))
            }
            if !codecs.contains(codec) { codecs.append(codec) }
        }
        return codecs
    }
}
