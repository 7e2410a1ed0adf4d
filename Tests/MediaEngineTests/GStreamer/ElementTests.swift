import Testing

@testable import MediaEngine

@Suite("Elements") struct ElementTests {
    init() throws { try GStreamerLibrary.initialize() }

    @Test("The error about a missing element names it")
    func missing() {
        #expect(throws: MediaError.pluginMissing(element: "no-such-element")) { try Element("no-such-element") }
        #expect(throws: MediaError.pluginMissing(element: "nosuchelement")) {
            try Element(launch: "audiotestsrc ! nosuchelement ! fakesink", description: "test")
        }
        #expect(!GStreamerLibrary.hasElement("no-such-element"))
        #expect(GStreamerLibrary.hasElement("fakesink"))
        #expect(GStreamerLibrary.pluginVersion(ofElement: "no-such-element") == nil)
        #expect(GStreamerLibrary.pluginVersion(ofElement: "fakesink") == GStreamerLibrary.version.description)
    }

    @Test(
        "The error about a missing element names the package that contains it",
        arguments: [
            ("webrtcbin", "gstreamer1.0-plugins-bad"), ("vp8enc", "gstreamer1.0-plugins-good"),
            ("x264enc", "gstreamer1.0-plugins-ugly"), ("avdec_h264", "gstreamer1.0-libav"),
            ("nicesrc", "gstreamer1.0-nice"), ("opusenc", "gstreamer1.0-plugins-base"),
        ])
    func advice(element: String, package: String) {
        #expect(DebianPackage.providing(element: element) == package)
        #expect(DebianPackage.advice(forElement: element) { _ in false } == "apt install \(package)")
        let text = DebianPackage.advice(forElement: element) { $0 == package }
        #expect(
            text == "its package \(package) is installed, but GStreamer does not load it; gst-inspect-1.0 -b says why")
        #expect("\(MediaError.pluginMissing(element: element))".contains(package))
        #expect("\(MediaError.pluginMissing(element: "zzz"))".contains("apt-file search"))
    }

    @Test("An installed hardware encoder that is unavailable lacks its device, not a package")
    func adviceForDevices() {
        for element in ["v4l2h264enc", "vah264enc", "vaapih264enc"] {
            #expect(DebianPackage.advice(forElement: element) { _ in true }.hasSuffix("no device or driver for it"))
            #expect(DebianPackage.advice(forElement: element) { _ in false }.hasPrefix("apt install "))
        }
        // The encoders of the base package are on every machine that runs these tests.
        #expect(DebianPackage.advice(forElement: "opusenc").contains("is installed"))
    }

    @Test("Every element that the engine uses has a known package")
    func everyElementHasAPackage() throws {
        for element in Engine.requiredElements { #expect(DebianPackage.providing(element: element) != nil) }
        for description in try PipelineCatalog().descriptions {
            for part in description.launch.components(of: "!") {
                // A branch begins with the name of its source element.
                let words = part.split(separator: " ").filter { !$0.hasSuffix(".") && !$0.contains("=") }
                let name = words.first.map(String.init) ?? ""
                guard !name.isEmpty, !name.contains("/") else { continue }
                #expect(DebianPackage.providing(element: name) != nil, "\(name) of \(description.name)")
            }
        }
    }

    @Test("An unknown property or an invalid value is an error, and is never ignored")
    func properties() throws {
        let source = try Element("videotestsrc")
        try source.set("pattern", "snow")
        #expect(source.get("pattern")?.intValue == 1)
        #expect(throws: MediaError.unknownProperty(object: "GstVideoTestSrc", property: "patern")) {
            try source.set("patern", "snow")
        }
        #expect(throws: MediaError.unknownProperty(object: "GstVideoTestSrc", property: "patern")) {
            try source.set("patern", text: "snow")
        }
        #expect(throws: MediaError.unknownProperty(object: "GstVideoTestSrc", property: "patern")) {
            try source.set("patern", object: nil)
        }
        for value in ["no-such-pattern", "", "5 ! fakesink"] {
            let expected = MediaError.invalidProperty(object: "GstVideoTestSrc", property: "pattern", value: value)
            #expect(throws: expected) { try source.set("pattern", value) }
        }
        #expect(source.get("pattern")?.intValue == 1)
        #expect(source.get("patern") == nil && source.object("patern") == nil && !source.has("patern"))
    }

    @Test(
        "Malformed caps and numbers are refused",
        arguments: [
            ("capsfilter", "caps", "video/x-raw,width="), ("capsfilter", "caps", "video/x-raw ! fakesink"),
            ("capsfilter", "caps", "!"), ("audiotestsrc", "freq", "440 ! fakesink"), ("audiotestsrc", "freq", "x"),
            ("audiotestsrc", "is-live", "maybe"), ("rtpvp8pay", "pt", "ninety"), ("queue", "max-size-buffers", "-1x"),
        ])
    func malformedValues(factory: String, property: String, value: String) throws {
        let element = try Element(factory)
        #expect(throws: MediaError.invalidProperty(object: element.typeName, property: property, value: value)) {
            try element.set(property, value)
        }
    }

    @Test(
        "A number out of the range of its property is refused, not clamped",
        arguments: [
            ("rtpvp8pay", "pt", "300"), ("rtpvp8pay", "mtu", "1"), ("opusenc", "bitrate", "1"),
            ("opusenc", "bitrate", "-5"),
            ("audiotestsrc", "volume", "7.5"), ("videotestsrc", "pattern", "999"),
        ])
    func outOfRange(factory: String, property: String, value: String) throws {
        let element = try Element(factory)
        let before = element.get(property)
        #expect(throws: MediaError.invalidProperty(object: element.typeName, property: property, value: value)) {
            try element.set(property, value)
        }
        #expect(element.get(property) == before)
    }

    @Test("Each property value has its own type")
    func values() throws {
        let source = try Element("audiotestsrc")
        try source.set("freq", "660.5")
        try source.set("is-live", "true")
        #expect(source.get("freq")?.doubleValue == 660.5)
        #expect(source.get("is-live")?.boolValue == true)
        #expect(source.get("is-live")?.intValue == nil && source.get("freq")?.stringValue == nil)
        let file = try Element("filesink")
        try file.set("location", text: "/tmp/\"a\" ! fakesink")
        #expect(file.get("location")?.stringValue == "/tmp/\"a\" ! fakesink")
        let queue = try Element("queue")
        try queue.set("max-size-time", "18446744073709551615")
        #expect(queue.get("max-size-time") == .uint(.max) && queue.get("max-size-time")?.intValue == nil)
        #expect(queue.get("max-size-time")?.doubleValue == Double(UInt64.max))
    }

    @Test("A child is found by its name or its factory, at any depth")
    func children() throws {
        let bin = try Element(
            launch: "audiotestsrc name=a ! audio/x-raw,rate=8000 ! queue name=b ! fakesink name=c", description: "test")
        let pipeline = try Pipeline(name: "children", timeBase: .ownStart)
        pipeline.bin.add(bin)
        #expect(pipeline.bin.child("b")?.factoryName == "queue")
        #expect(pipeline.bin.child("x") == nil)
        #expect(pipeline.bin.child(madeBy: "capsfilter") != nil)
        #expect(pipeline.bin.child(madeBy: "fakesink")?.path.hasSuffix("c") == true)
        #expect(pipeline.bin.child(madeBy: "fakesrc") == nil)
    }

    @Test("Missing pads and impossible links are errors")
    func links() throws {
        let bin = try Element(launch: "identity", description: "links")
        let (source, sink, other) = (try Element("audiotestsrc"), try Element("fakesink"), try Element("vp8enc"))
        for element in [source, sink, other] { bin.add(element) }
        #expect(throws: MediaError.noPad(element: source.path, pad: "sink")) { try source.pad("sink") }
        #expect(throws: MediaError.noPad(element: sink.path, pad: "src_%u")) { try sink.requestPad("src_%u") }
        let unfit = MediaError.linkFailed(from: source.path, to: other.path, reason: "no pads that fit")
        #expect(throws: unfit) { try source.link(to: other) }
        // Audio does not fit a video encoder.
        #expect(
            throws: MediaError.linkFailed(
                from: "\(source.path):src", to: "\(other.path):sink", reason: "no common format")
        ) {
            try source.pad("src").link(to: other.pad("sink"))
        }
        try source.pad("src").link(to: sink.pad("sink"))
        #expect(
            throws: MediaError.linkFailed(from: "\(source.path):src", to: "\(sink.path):sink", reason: "was linked")
        ) {
            try source.pad("src").link(to: sink.pad("sink"))
        }
        #expect(try source.pad("src").isSource && !sink.pad("sink").isSource)
    }

    @Test("Pads of different bins are linked only through ghost pads")
    func bins() throws {
        let pipeline = try Pipeline(name: "bins", timeBase: .ownStart)
        let inner = try Element(launch: "audiotestsrc name=inner ! identity name=last", description: "inner")
        let sink = try Element("fakesink")
        pipeline.bin.add(inner)
        pipeline.bin.add(sink)
        // The description's own ghost pad is in the way of the inner one.
        let last = try #require(inner.child("inner"))
        #expect(throws: MediaError.self) { try last.pad("src").link(to: sink.pad("sink")) }
        let tee = try Element("tee")
        inner.add(tee)
        try tee.requestPad("src_%u").linkAcrossBins(to: sink.pad("sink"))
    }

    @Test("An error on the bus names the element")
    func busError() async throws {
        let pipeline = try Pipeline(name: "broken", timeBase: .ownStart)
        defer { pipeline.stop() }
        let messages = Shared<[BusMessage]>([])
        pipeline.bus.watch { message in messages.update { $0.append(message) } }
        pipeline.bin.add(
            try Element(launch: "filesrc location=/nonexistent/file ! fakesink", description: "broken"))
        #expect(throws: MediaError.stateChangeFailed(element: pipeline.bin.path, state: "playing")) {
            try pipeline.bin.setState(.playing)
        }
        try await eventually("the error") {
            messages.value.contains {
                if case .error(let element, _, _, _) = $0 { element.contains("filesrc") } else { false }
            }
        }
    }
}
