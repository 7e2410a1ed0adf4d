import Foundation
import Testing

@testable import MediaEngine

@Suite("The choice of a camera's format") struct CameraTests {
    init() throws { try GStreamerLibrary.initialize() }

    /// The formats of common web cameras: large raw frames are slow, since USB has no room for them.
    private static let webcam = """
        video/x-raw,format=YUY2,width=640,height=480,framerate={(fraction)30/1,(fraction)15/1};
        video/x-raw,format=YUY2,width=1280,height=720,framerate={(fraction)10/1,(fraction)5/1};
        image/jpeg,width=640,height=480,framerate=(fraction)30/1;
        image/jpeg,width=1280,height=720,framerate={(fraction)30/1,(fraction)15/1};
        image/jpeg,width=1920,height=1080,framerate=(fraction)30/1;
        video/x-h264,stream-format=byte-stream,width=1920,height=1080,framerate=(fraction)30/1;
        video/x-bayer,format=bggr,width=640,height=480,framerate=(fraction)60/1
        """

    private func formats(_ caps: String) throws -> [CameraFormat] {
        let source = try Element("capsfilter")
        try source.set("caps", caps)
        return try Camera.formats(source, of: source, label: "test")
    }

    private func choice(_ caps: String, _ width: Int, _ height: Int, _ rate: Int = 30) throws -> String? {
        let wanted = VideoFormat(width: width, height: height, framesPerSecond: rate)
        return CameraChoice(try formats(caps), for: wanted)?.caps
    }

    @Test("The cheapest format that is large and fast enough is chosen")
    func webcam() throws {
        #expect(try formats(Self.webcam).count == 6, "what nobody can decode is passed over")
        #expect(try choice(Self.webcam, 640, 480) == "video/x-raw,width=640,height=480,format=YUY2,framerate=30/1")
        #expect(try choice(Self.webcam, 320, 240, 15) == "video/x-raw,width=640,height=480,format=YUY2,framerate=15/1")
        #expect(try choice(Self.webcam, 1280, 720) == "image/jpeg,width=1280,height=720,framerate=30/1")
        #expect(try choice(Self.webcam, 1280, 720, 5) == "video/x-raw,width=1280,height=720,format=YUY2,framerate=5/1")
        #expect(try choice(Self.webcam, 1920, 1080) == "video/x-h264,width=1920,height=1080,framerate=30/1")
        #expect(try choice(Self.webcam, 3840, 2160) == "video/x-h264,width=1920,height=1080,framerate=30/1")
        #expect(try choice(Self.webcam, 640, 480, 60) == "video/x-raw,width=640,height=480,format=YUY2,framerate=30/1")
    }

    @Test(
        "Of those, one of the requested aspect ratio wins at any cost; without one there are bars"
    )
    func shape() throws {
        #expect(try choice(Self.webcam, 640, 360) == "image/jpeg,width=1280,height=720,framerate=30/1")
        #expect(try choice(Self.webcam, 320, 180, 15) == "image/jpeg,width=1280,height=720,framerate=15/1")
        let square = "video/x-raw,format=YUY2,width={640,848},height=480,framerate=30/1"
        #expect(try choice(square, 640, 360)?.contains("width=640,height=480") == true)
        let both =
            "video/x-raw,format=YUY2,width=640,height=480,framerate=30/1;video/x-raw,format=YUY2,width=848,height=480,framerate=30/1"
        #expect(try choice(both, 640, 360)?.contains("width=848,height=480") == true)
    }

    @Test("Ranges, frame rates of television, and cameras without a rate")
    func ranges() throws {
        let range = "video/x-raw,format=NV12,width=[16,1920],height=[16,1080],framerate=[0/1,60/1]"
        #expect(try choice(range, 640, 360) == "video/x-raw,width=640,height=360,format=NV12,framerate=30/1")
        #expect(try choice(range, 4_000, 3_000, 90) == "video/x-raw,width=1920,height=1080,format=NV12,framerate=60/1")
        let television = "image/jpeg,width=720,height=576,framerate=30000/1001"
        #expect(try choice(television, 640, 360) == "image/jpeg,width=720,height=576,framerate=30000/1001")
        #expect(
            try choice("video/x-raw,format=I420,width=640,height=480", 640, 480)
                == "video/x-raw,width=640,height=480,format=I420,framerate=30/1")
    }

    @Test(
        "Unusable caps give no format",
        arguments: [
            "video/x-raw", "audio/x-raw,rate=8000", "video/x-raw,width=0,height=0,framerate=30/1",
            "video/x-raw,width=640,height=480,framerate=0/1", "video/x-bayer,width=640,height=480",
        ])
    func nonsense(caps: String) throws { #expect(try choice(caps, 640, 360) == nil) }

    @Test("A missing camera is reported, by its check and when it opens")
    func missing() async throws {
        let engine = try await TestEngine.shared()
        let source = try VideoSource(parsing: "v4l2:/dev/video987")
        for attempt in [{ try await engine.check(source) }, { try await engine.capture(source).hold() }] {
            let error = await #expect(throws: MediaError.self) { try await attempt() }
            guard case .sourceFailed("v4l2:/dev/video987", .notFound, _) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect("\(try #require(error))".contains("callagent devices"))
        }
        let folder = try PipelineFolder(["nodevice": ""])
        let file = try VideoSource(parsing: "v4l2:" + folder.file("nodevice"))
        await #expect(throws: MediaError.self) { try await engine.capture(file).hold() }
    }

    @Test("A missing microphone is reported", arguments: ["alsa:hw:77", "pulse:nothing"])
    func noMicrophone(text: String) async throws {
        try #require(try await !opens(text), "there is no such device, and yet it opens")
    }

    @Test("Without any microphone the default one is reported as missing")
    func noDefaultMicrophone() async throws {
        if try await opens("mic") { try Test.cancel("this machine has a microphone") }
    }

    /// Whether the source opens; if not, checks the error.
    private func opens(_ text: String) async throws -> Bool {
        let source = try await TestEngine.shared().capture(AudioSource(parsing: text))
        do throws(MediaError) {
            try await source.hold()
        } catch .pluginMissing(let element) {
            #expect(DebianPackage.providing(element: element) != nil)
            return false
        } catch .sourceFailed(let source, _, let words) {
            #expect(source == text && !words.isEmpty)
            return false
        }
        await source.release()
        return true
    }

    @Test(
        "A file or camera that this user may not read is reported as such",
        .enabled(if: getuid() != 0, "root may read everything; run the tests as another user"))
    func denied() async throws {
        let folder = try PipelineFolder(["camera": ""])
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder.file("camera"))
        let engine = try await TestEngine.shared()
        let path = folder.file("camera")
        let (camera, file) = (try VideoSource(parsing: "v4l2:" + path), try VideoSource(parsing: "file:" + path))
        // Not opened as a camera, because it is none and would fail for that reason.
        for attempt in [
            { try await engine.check(camera) }, { try await engine.check(file) },
            { try await engine.capture(file).hold() },
        ] {
            let error = await #expect(throws: MediaError.self) { try await attempt() }
            guard case .sourceFailed(_, .denied, _) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect("\(try #require(error))".contains("groups video and audio"))
        }
    }

    @Test(
        "The system's message in a GStreamer error decides the fault, or else the error code",
        arguments: [
            // `GST_RESOURCE_ERROR_OPEN_READ_WRITE`, as v4l2src 1.22 reports it.
            (7, "v4l2_calls.c(622): gst_v4l2_open (): \nsystem error: Permission denied", SourceFault.denied),
            (7, "system error: Operation not permitted", .denied), (7, "system error: Device or resource busy", .busy),
            (7, "system error: No such device or address", .notFound), (9, "system error: No such device", .lost),
            (3, "", .notFound), (4, "", .busy), (5, "", .unreachable), (7, "", .unreachable), (9, "", .lost),
            (15, "", .denied), (99, "", .unusable), (nil, "", .unusable),
            (nil, "alsasrc: Device or resource busy", .busy),
        ] as [(UInt32?, String, SourceFault)])
    func faults(code: UInt32?, words: String, fault: SourceFault) { #expect(BusMessage.fault(code, words) == fault) }

    @Test(
        "A device node without a driver is reported as not found",
        .enabled(if: getuid() == 0, "only root makes nodes"))
    func node() async throws {
        let folder = try PipelineFolder()
        // 81 is the major number of cameras (Linux's devices.txt). No driver has the minor number 255.
        guard mknod(folder.file("video"), S_IFCHR | 0o600, 81 << 8 | 255) == 0 else {
            try Test.cancel("this machine makes no device nodes")
        }
        let text = "v4l2:\(folder.file("video"))"
        let engine = try await TestEngine.shared()
        let error = await #expect(throws: MediaError.self) {
            try await engine.capture(VideoSource(parsing: text)).hold()
        }
        guard case .sourceFailed(text, .notFound, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A screen needs a display, by name or from the environment")
    func screen() async throws {
        let screen = MediaSource.video(try VideoSource(parsing: "screen"))
        for environment in [[:], ["DISPLAY": ""], ["WAYLAND_DISPLAY": "wayland-0"]] {
            let error = #expect(throws: MediaError.self) { try Screen.check(screen, environment: environment) }
            #expect(
                "\(try #require(error))".contains(environment["WAYLAND_DISPLAY"] == nil ? "DISPLAY" : "pipewiresrc"))
        }
        try Screen.check(screen, environment: ["DISPLAY": ":0"])
        try Screen.check(.video(VideoSource(parsing: "screen::7")), environment: [:])
        let engine = try await TestEngine.shared()
        await #expect(throws: MediaError.self) {
            try await engine.capture(VideoSource(parsing: "screen::987")).hold()
        }
    }
}

extension RealPipelines {
    @Suite("Video from a camera") struct CameraPipelineTests {
        /// The real descriptions, with a source of the same encoding instead of the device.
        ///
        /// The source is 4:3: white frames of 320x240.
        @Test(
            "Raw video, JPEG and H264 are converted to the requested size and rate, and never stretched",
            arguments: [
                ("v4l2", "identity name=source"), ("v4l2-mjpeg", "jpegenc name=source"),
                ("v4l2-h264", "x264enc name=source tune=zerolatency key-int-max=10"),
            ])
        func chain(name: String, coding: String) async throws {
            let standIn = "videotestsrc is-live=true pattern=white ! video/x-raw,width=320,height=240 ! " + coding
            let real = try PipelineCatalog().description(name, role: .videoSource)
            let lines = real.text.replacing("v4l2src name=source do-timestamp=true", with: standIn).split(
                separator: "\n")
            let kept = lines.filter { !$0.hasPrefix("# value choice") }
            let text = kept.joined(separator: "\n").replacing("native.caps", with: "unused.caps")
            let folder = try PipelineFolder([
                "camera-video-source.launch": text.replacing("# value native: unused.caps\n", with: "")
            ])
            #expect(text.contains(standIn))
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.engine = try await Engine.start(pipelineFolder: folder.path)
            options.callerVideo = VideoSource(
                name: "camera", format: VideoFormat(width: 400, height: 224, framesPerSecond: 15))
            try await withCall(options) { call in
                try await call.connect()
                await call.callee.peer.setReceiving(true)
                let box = try await BrightBox.first(of: call.callee)
                #expect(box.frameSize == [400, 224])
                // With 224 lines, 4:3 has 299 columns.
                #expect(box.isNear(left: 51, top: 0, width: 298, height: 224), "\(box)")
                #expect(!call.caller.events.contains { if case .captureLost = $0 { true } else { false } })
            }
        }
    }
}

@Suite("Available devices") struct MediaDeviceTests {
    init() throws { try GStreamerLibrary.initialize() }

    @Test("GStreamer's record of a device becomes a source and its formats")
    func device() throws {
        let source = try Element("capsfilter")
        try source.set(
            "caps",
            "video/x-raw,format={(string)YUY2,(string)NV12},width=640,height=480,framerate={(fraction)15/1,(fraction)30/1};image/jpeg,width=[16,1920],height=1080,framerate=30000/1001"
        )
        let caps = try source.pad("src").possibleCaps
        let record = DeviceRecord(
            name: "HD Cam", deviceClass: "Video/Source", factory: "v4l2src", address: "/dev/video2", caps: caps)
        let device = try #require(MediaDevice(record))
        #expect(device.kind == .video && device.name == "HD Cam" && device.source == "v4l2:/dev/video2")
        #expect(try VideoSource(parsing: device.source) == VideoSource(name: "v4l2", choice: "/dev/video2"))
        let raw = try #require(device.formats.first)
        #expect(raw.encoding == "video/x-raw" && raw.layout == "YUY2,NV12" && raw.width == "640")
        #expect(raw.framesPerSecond == "15,30" && raw.sampleRate == nil)
        #expect(device.formats.last?.width == "16-1920" && device.formats.last?.framesPerSecond == "29.97")
        var other = record
        (other.factory, other.deviceClass, other.address) = ("pulsesrc", "Audio/Source", nil)
        #expect(MediaDevice(other)?.source == "pulse")
        other.deviceClass = "Audio/Sink"
        #expect(MediaDevice(other) == nil)
        other.factory = "decklinkaudiosrc"
        #expect(MediaDevice(other) == nil)
    }

    @Test("Every listed device has a name, and every camera a usable source")
    func list() async throws {
        for device in await (try TestEngine.shared()).devices() {
            #expect(!device.name.isEmpty)
            if device.kind == .video { _ = try VideoSource(parsing: device.source) }
        }
    }
}
