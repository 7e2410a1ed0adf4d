import Testing

@testable import MediaEngine

@Suite("A pipeline description") struct PipelineDescriptionTests {
    private static let encoder = """
        # A summary.
        # value bitrate: encoder.target-bitrate
        # value payload: payloader.pt
        vp8enc name=encoder ! rtpvp8pay name=payloader
        """

    @Test("is parsed into name, role, summary, placeholders and launch line")
    func isRead() throws {
        let description = try PipelineDescription(
            fileName: "my-own-video-source.launch",
            text: """
                # Two lines of launch text.
                # A second comment.
                # value choice: source.pattern

                videotestsrc name=source
                  ! capsfilter
                """)
        #expect(description.name == "my-own" && description.role == .videoSource)
        #expect(description.summary == "Two lines of launch text.")
        #expect(description.launch == "videotestsrc name=source   ! capsfilter")
        #expect(description.values == ["choice": .init(element: "source", property: "pattern")])
        try description.check()
    }

    @Test("may have LF or CRLF line ends")
    func lineEnds() throws {
        let unix = try PipelineDescription(fileName: "x-encoder.launch", text: Self.encoder)
        let other = try PipelineDescription(
            fileName: "x-encoder.launch", text: Self.encoder.replacing("\n", by: "\r\n"))
        #expect(unix == other)
        try other.check()
    }

    @Test("sets the given values as properties, and ignores unknown ones")
    func instantiates() throws {
        try GStreamerLibrary.initialize()
        let description = try PipelineDescription(fileName: "x-encoder.launch", text: Self.encoder)
        let bin = try description.instantiate(["bitrate": "123000", "payload": "97", "unknown": "1"])
        #expect(bin.child("encoder")?.get("target-bitrate")?.intValue == 123_000)
        #expect(bin.child("payloader")?.get("pt")?.intValue == 97)
    }

    @Test(
        "A value never becomes launch text",
        arguments: [
            ("choice", "5 ! fakesink"), ("choice", "ball name=other"), ("caps", "video/x-raw ! fakesink"),
            ("choice", "\" ! filesink location=/tmp/x"),
        ])
    func valuesAreNoText(placeholder: String, value: String) throws {
        try GStreamerLibrary.initialize()
        let description = try PipelineCatalog().description("test", role: .videoSource)
        let error = #expect(throws: MediaError.self) { try description.instantiate([placeholder: value]) }
        guard case .invalidProperty(_, _, value) = error else {
            Issue.record("failed otherwise: \(String(describing: error))")
            return
        }
    }

    @Test("A text property takes any text unchanged, and no other element appears")
    func textStaysText() throws {
        try GStreamerLibrary.initialize()
        let description = try PipelineCatalog().description("matroska", role: .recorder)
        for path in ["/tmp/a ! fakesink name=other", "/tmp/\"quoted\" file.mkv", "/tmp/ü;a=b.mkv"] {
            let bin = try description.instantiate(["path": path])
            #expect(bin.child("file")?.get("location")?.stringValue == path)
            #expect(bin.child("other") == nil)
        }
    }

    @Test(
        "that is malformed is refused with the number of the wrong line",
        arguments: [
            ("encoder.launch", encoder, nil, "not named NAME-ROLE.launch"),
            ("x-encoder.txt", encoder, nil, "not named NAME-ROLE.launch"),
            ("x-transcoder.launch", encoder, nil, "not named NAME-ROLE.launch"),
            ("-encoder.launch", encoder, nil, "not named NAME-ROLE.launch"),
            ("x-encoder.launch", "", nil, "has no launch line"),
            ("x-encoder.launch", "# Only comments.\n\n  \n", nil, "has no launch line"),
            ("x-encoder.launch", "# A summary.\n# value bitrate\nvp8enc", 2, "# value NAME: ELEMENT.PROPERTY"),
            ("x-encoder.launch", "# value a: b\nvp8enc", 1, "# value NAME: ELEMENT.PROPERTY"),
            ("x-encoder.launch", "# S.\n#\n# value a: b.c.d\nvp8enc", 3, "# value NAME: ELEMENT.PROPERTY"),
            ("x-encoder.launch", String(repeating: "#", count: 16_385), nil, "longer than 16384 bytes"),
        ] as [(String, String, Int?, String)])
    func malformed(fileName: String, text: String, line: Int?, says: String) {
        let error = #expect(throws: MediaError.self) { try PipelineDescription(fileName: fileName, text: text) }
        guard case .invalidPipelineDescription(_, line, let reason) = error else {
            Issue.record("failed otherwise: \(String(describing: error))")
            return
        }
        #expect(reason.contains(says), "says: \(reason)")
    }

    @Test(
        "that does not work is refused by the check",
        arguments: [
            ("vp8enc name=encoder", "has no element with name=payloader"),
            ("vp8enc name=encoder ! ! rtpvp8pay name=payloader", ""),
            ("vp8enc name=encoder colour=blue ! rtpvp8pay name=payloader", "colour"),
            ("vp8enc name=encoder ! rtpopuspay name=payloader", ""),
            ("# value a: nobody.bitrate\nvp8enc name=encoder ! rtpvp8pay name=payloader", "nobody.bitrate"),
            ("# value a: encoder.colour\nvp8enc name=encoder ! rtpvp8pay name=payloader", "encoder.colour"),
        ])
    func unusable(text: String, says: String) throws {
        let description = try PipelineDescription(fileName: "x-encoder.launch", text: text)
        let error = #expect(throws: MediaError.self) { try description.check() }
        guard case .invalidPipelineDescription("x-encoder.launch", _?, let reason) = error else {
            Issue.record("failed otherwise: \(String(reflecting: error))")
            return
        }
        #expect(reason.contains(says), "says: \(reason)")
    }

    @Test("that needs a missing element names it")
    func missingElement() throws {
        let description = try PipelineDescription(
            fileName: "x-encoder.launch", text: "nosuchenc name=encoder ! rtpvp8pay name=payloader")
        #expect(throws: MediaError.pluginMissing(element: "nosuchenc")) { try description.check() }
    }

    @Test("A value for a placeholder of a missing element is refused")
    func missingTarget() throws {
        try GStreamerLibrary.initialize()
        let description = try PipelineDescription(
            fileName: "x-audio-source.launch", text: "# value choice: nobody.freq\naudiotestsrc name=source")
        let expected = MediaError.invalidPipelineDescription(
            name: "x-audio-source.launch", line: 1, text: "'choice' stands for nobody.freq, which is not there")
        #expect(throws: expected) { try description.instantiate(["choice": "1"]) }
    }
}
