import Testing

@testable import MediaEngine

@Suite("An error in a user's pipeline description") struct LaunchTextTests {
    private static let good = """
        # A summary.
        # value payload: payloader.pt

        vp8enc name=encoder deadline=1
          ! rtpvp8pay name=payloader
        """

    @Test(
        "is reported with its file, its line and GStreamer's message",
        arguments: [
            ("deadline=1", "colour=blue", 4, #"no property "colour" in element "vp8enc""#),
            ("deadline=1", "end-usage=often", 4, #"could not set property "end-usage""#),
            ("! rtpvp8pay", "! ! rtpvp8pay", 5, "syntax error"), ("rtpvp8pay", "rtpopuspay", 5, "could not link"),
            ("! rtpvp8pay", "! video/x-vp8,width=a=b ! rtpvp8pay", 5, "could not parse caps"),
            ("! rtpvp8pay", "! video/x-h264 ! rtpvp8pay", 5, "could not link"),
            ("name=payloader", "name=other", 4, "has no element with name=payloader"),
            ("payloader.pt", "payloader.number", 2, "payloader.number, which is not there"),
            ("payloader.pt", "sender.pt", 2, "sender.pt, which is not there"),
            (
                "vp8enc name=encoder deadline=1\n  ! rtpvp8pay", "x264enc name=encoder\n ! rtph264pay", 5,
                "rtph264pay is for H264"
            ),
            ("payload: payloader.pt", "payload: pt", 2, "# value NAME: ELEMENT.PROPERTY"),
        ])
    func place(old: String, new: String, line: Int, says: String) throws {
        let folder = try PipelineFolder(["vp8-encoder.launch": Self.good.replacing(old, by: new)])
        let error = #expect(throws: MediaError.self) {
            try PipelineCatalog(folder: folder.path).description("vp8", role: .encoder).check()
        }
        let text = try #require(error).description
        #expect(text.contains("\(folder.file("vp8-encoder.launch")):\(line) "), "\(text)")
        #expect(text.contains(says), "\(text)")
    }

    @Test("A missing element is named, with a hint where to find it")
    func missing() throws {
        let text = Self.good.replacing("vp8enc", by: "vp8encoder")
        let description = try PipelineDescription(fileName: "vp8-encoder.launch", text: text)
        let error = #expect(throws: MediaError.pluginMissing(element: "vp8encoder")) { try description.check() }
        #expect(error?.description.contains("gst-inspect-1.0") == true)
    }

    @Test("A correct description passes, and its elements are known without building it")
    func right() throws {
        let description = try PipelineDescription(fileName: "vp8-encoder.launch", text: Self.good)
        try description.check()
        #expect(description.launchText.factories == ["vp8enc", "rtpvp8pay"])
        let file = try PipelineCatalog().description("file", role: .avSource)
        #expect(file.launchText.factories.allSatisfy { $0.first?.isLowercase == true })
        #expect(file.launchText.factories.contains("decodebin"))
    }
}
