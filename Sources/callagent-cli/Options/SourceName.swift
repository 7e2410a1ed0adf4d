internal import MediaEngine

/// How `--video` and `--audio` write sources.
enum SourceName {
    static let video =
        "test[:PATTERN], clock[:PATTERN], busy, v4l2:/dev/videoN, rtsp://URL, file:PATH, image:PATH, screen[:DISPLAY], none"
    static let audio =
        "tone[:HERTZ], clock[:HERTZ], speech, silence, mic, pipewire[:NODE], pulse[:DEVICE], alsa[:DEVICE], rtsp://URL, file:PATH, none"

    /// The video source that a text names; nil for `none`.
    ///
    /// - Throws: a ``MediaError`` for a text that names none; a ``Failure`` for one that an application pushes.
    static func videoSource(_ text: String, format: VideoFormat = VideoFormat()) throws -> VideoSource? {
        guard text != "none" else { return nil }
        let source = try VideoSource(parsing: text, format: format)
        try refusePushed(.video(source))
        return source
    }

    /// The audio source that a text names; nil for `none`.
    ///
    /// - Throws: a ``MediaError`` for a text that names none; a ``Failure`` for one that an application pushes.
    static func audioSource(_ text: String) throws -> AudioSource? {
        guard text != "none" else { return nil }
        let source = try AudioSource(parsing: text)
        try refusePushed(.audio(source))
        return source
    }

    private static func refusePushed(_ source: MediaSource) throws(Failure) {
        guard source.isPushed else { return }
        let name = source.text.printable
        throw Failure(.usage, "'\(name)' is pushed by an application that uses the library; choose another source")
    }

    /// Runs the check of a source.
    ///
    /// - Throws: what `check` throws; a ``Failure`` that says what to write if there is no such source.
    static func checked(
        _ text: String, _ option: String, _ forms: String, check: () async throws -> Void
    ) async throws {
        do {
            try await check()
        } catch let error as MediaError {
            guard case .unknownPipelineDescription = error else { throw error }
            throw Failure(.usage, "\(option): '\(text.printable)' is no source; \(advice(text, forms))")
        }
    }

    private static func advice(_ text: String, _ forms: String) -> String {
        if text.hasPrefix("/dev/video") { return "write v4l2:\(text)" }
        if text.contains("/") { return "write file:PATH for a file" }
        let name = text.split(separator: ":").first.map(String.init) ?? text
        let names = forms.split(separator: ", ").map { String($0.prefix { !"[:".contains($0) }) }
        return Misspelling.nearest(to: name, among: names).map { "did you mean '\($0)'?" } ?? "sources are \(forms)"
    }
}
