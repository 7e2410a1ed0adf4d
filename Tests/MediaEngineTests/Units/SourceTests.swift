import LocalNetwork
import Testing

@testable import MediaEngine

@Suite("Source arguments of the command line") struct SourceTests {
    @Test("A video source is a name with an optional choice")
    func video() throws {
        #expect(try VideoSource(parsing: "test") == VideoSource(name: "test"))
        #expect(try VideoSource(parsing: "test:smpte") == VideoSource.test(.smpte))
        #expect(try VideoSource(parsing: "door:/dev/video0") == VideoSource(name: "door", choice: "/dev/video0"))
        #expect(try VideoSource(parsing: "rtsp:rtsp://192.0.2.1:554/x").choice == "rtsp://192.0.2.1:554/x")
        #expect(try VideoSource(parsing: "test:").choice == nil)
        #expect(try VideoSource(parsing: "file:/a b/c:d.mkv") == VideoSource(name: "file", choice: "/a b/c:d.mkv"))
        #expect(try VideoSource(parsing: "screen::1").choice == ":1")
        let camera = try VideoSource(parsing: "rtsp://user:word@192.0.2.1:554/x?y=1")
        #expect(camera == VideoSource(name: "rtsp", choice: "rtsp://user:word@192.0.2.1:554/x?y=1"))
        #expect(MediaSource.video(camera).values["choice"] == "rtspt://user:word@192.0.2.1:554/x?y=1")
        #expect(MediaSource.video(camera).text == "rtsp://user:word@192.0.2.1:554/x?y=1")
        #expect(MediaSource.video(camera).label == "rtsp://…@192.0.2.1:554/x?y=1", "no password in a log")
        #expect(MediaSource.video(try VideoSource(parsing: "rtsp://192.0.2.1/a@b")).label == "rtsp://192.0.2.1/a@b")
        #expect(
            MediaSource.audio(try AudioSource(parsing: "rtsps://u:p@w@192.0.2.1/x")).label == "rtsps://…@192.0.2.1/x")
        let datagrams = try AudioSource(parsing: "rtspu://192.0.2.1/x")
        #expect(MediaSource.audio(datagrams).values["choice"] == "rtspu://192.0.2.1/x")
    }

    @Test(
        "The URL of a camera needs a host, and a port behind it may be left out",
        arguments: [
            ("rtsp://192.0.2.1", true), ("rtsps://u:p@cam.example:8554/x?y", true),
            ("rtspu://[2001:db8::1]:554/", true),
            ("rtsp://", false), ("rtsp:///cam", false), ("rtsp://u:p@/cam", false), ("rtsp://h:1:2/", false),
            ("rtsp://h:65536/", false), ("rtsp://h:x/", false), ("rtsp:cam", false),
        ])
    func cameraURL(text: String, isPossible: Bool) throws {
        let source = MediaSource.video(try VideoSource(parsing: text))
        let blueprint = SourceBlueprint(source: source, catalog: try PipelineCatalog())
        do throws(MediaError) {
            try blueprint.check()
            #expect(isPossible)
        } catch {
            #expect(!isPossible && error.description.contains("no host and port"), "\(error)")
        }
    }

    @Test("An empty video source is refused", arguments: ["", ":"])
    func emptyVideo(text: String) {
        #expect(throws: MediaError.unknownChoice(kind: "video source", value: text, known: ["test", "none"])) {
            try VideoSource(parsing: text)
        }
    }

    @Test("An audio source is a name with an optional choice, and a tone has a pitch")
    func audio() throws {
        #expect(try AudioSource(parsing: "tone").toneHz == 440)
        #expect(try AudioSource(parsing: "tone:660").toneHz == 660)
        #expect(try AudioSource(parsing: "tone:20").toneHz == 20)
        #expect(try AudioSource(parsing: "tone:20000").toneHz == 20_000)
        #expect(try AudioSource(parsing: "mic:hw:1").choice == "hw:1")
        #expect(try AudioSource(parsing: "mic").toneHz == nil)
        #expect(try AudioSource(parsing: "clock:1500").toneHz == 1_500)
        #expect(AudioSource.tone(hertz: 1_000).toneHz == 1_000)
    }

    @Test(
        "An inaudible pitch is refused", arguments: ["19.9", "20001", "x", "nan", "inf", "-440", "440 Hz", "0"])
    func pitch(text: String) {
        #expect(throws: MediaError.unknownChoice(kind: "pitch in Hz", value: text, known: ["20 to 20000"])) {
            try AudioSource(parsing: "tone:\(text)")
        }
    }

    @Test("A pitch at which ticks are not heard is refused", arguments: ["99", "1501", "nan", "x"])
    func clockPitch(text: String) {
        #expect(throws: MediaError.unknownChoice(kind: "pitch in Hz", value: text, known: ["100 to 1500"])) {
            try AudioSource(parsing: "clock:\(text)")
        }
    }

    @Test("An empty audio source is refused", arguments: ["", ":"])
    func emptyAudio(text: String) {
        #expect(throws: MediaError.unknownChoice(kind: "audio source", value: text, known: ["tone", "none"])) {
            try AudioSource(parsing: text)
        }
    }

    @Test("The format becomes the caps of the source")
    func caps() {
        let format = VideoFormat(width: 320, height: 180, framesPerSecond: 15)
        #expect(
            MediaSource.video(.test(.snow, format: format)).values["caps"]
                == "video/x-raw,format=I420,width=320,height=180,framerate=15/1,pixel-aspect-ratio=1/1")
        #expect(MediaSource.video(.test(.snow)).values["choice"] == "snow")
        #expect(MediaSource.video(VideoSource(name: "x")).values["choice"] == nil)
        #expect(MediaSource.audio(.tone()).values["caps"]?.hasPrefix("audio/x-raw,format=S16LE,rate=48000") == true)
    }
}

@Suite("Local addresses") struct LocalAddressesTests {
    @Test("Loopback is recognised by its addresses and its name")
    func loopback() {
        for text in ["127.0.0.1", "127.255.0.3", "::1", "localhost"] { #expect(LocalAddresses.isLoopback(text)) }
        for text in [
            "128.0.0.1", "127.0.0", "localhost.example", "::2", "", "127.0.0.1.example.com", "127.a.b.example",
        ] {
            #expect(!LocalAddresses.isLoopback(text), "\(text)")
        }
    }

    @Test("Numeric addresses are distinguished from names")
    func numeric() {
        for text in ["192.0.2.1", "::", "2001:db8::1", "::ffff:192.0.2.1"] { #expect(LocalAddresses.isNumeric(text)) }
        for text in ["", "localhost", "192.0.2", "192.0.2.256", "2001:db8:::1", "1", "[::1]"] {
            #expect(!LocalAddresses.isNumeric(text), "\(text)")
        }
    }

    @Test("Only addresses of interfaces are in use")
    func inUse() {
        #expect(LocalAddresses.isInUse("127.0.0.1"))
        #expect(!LocalAddresses.isInUse("192.0.2.1") && !LocalAddresses.isInUse(""))
        for address in LocalAddresses.global() { #expect(LocalAddresses.isInUse(address)) }
    }

    @Test("An interface has its own addresses; one that is not there has none, and no route")
    func ofInterface() {
        #expect(LocalAddresses.hasInterface("lo") && !LocalAddresses.hasInterface("none0"))
        let loopback = NetworkSnapshot.now(of: ["lo"])
        #expect(loopback.addresses.contains("127.0.0.1"))
        #expect(
            loopback.addresses.allSatisfy { LocalAddresses.isLoopback($0) || !LocalAddresses.global().contains($0) })
        #expect(NetworkSnapshot.source(toward: "127.0.0.1", through: ["none0", "lo"]) == "127.0.0.1")
        let none = NetworkSnapshot.now(of: ["none0"])
        #expect(none.addresses.isEmpty && none.sources == [nil, nil])
    }

    @Test("Global addresses are numeric, and neither loopback nor link-local")
    func global() {
        for address in LocalAddresses.global() {
            #expect(LocalAddresses.isNumeric(address))
            #expect(!LocalAddresses.isLoopback(address))
            #expect(!address.lowercased().hasPrefix("fe80:") && !address.hasPrefix("169.254."))
        }
    }
}
