import Foundation
import MediaEngine
import Testing

@testable import CallAgent

extension EndToEnd {
    /// A camera of the kernel module v4l2loopback.
    ///
    /// One call writes to it, and the next one reads from it.
    @Suite struct VirtualCameraTests {
        @Test(
            "A call with a virtual camera sends the video that another call writes to it",
            .enabled(
                if: VirtualCamera.device != nil, "there is no virtual camera; modprobe v4l2loopback exclusive_caps=0"))
        func camera() async throws {
            let device = "v4l2:" + (try #require(VirtualCamera.device))
            let trio = try await Trio()
            let writer = try await trio.listen(["--sink-video", device, "--video", "none"])
            let alice = try trio.call([
                "--events", "--duration", "10m", "--video", "test:smpte", "--video-size", "320x240",
            ])
            try await eventually("the call that writes is connected") {
                writer.hasEvent(["event": "stateChanged", "state": "connected"])
            }
            let dave = try await Station("dave", at: trio.url, width: 0).prepared()
            let carol = try Program(
                ["call", "dave", "--as", "carol", "--events", "--video", device, "--video-size", "320x240"]
                    + trio.common)
            let call = try await dave.ring()
            try await call.call.accept()
            try await call.reaches(.connected)
            // The noise in the bars makes each frame differ from the one before.
            let look = try await dave.look(.video)
            try await eventually("frames of the camera that move") { look.changes >= 15 && look.blackRun == 0 }
            #expect(await call.call.report().statistics.video?.received.width == 320)
            for program in [carol, writer] {
                for event in ["captureLost", "mediaWarning"] { #expect(!program.hasEvent(["event": event])) }
            }
            await call.call.hangUp()
            #expect(try await carol.waitForExit() == 0, "\(carol.errors)")
            alice.signal(SIGINT)
            try await alice.waitForExit()
            await dave.agent.close()
        }
    }
}

/// The first virtual camera of this machine.
private enum VirtualCamera {
    static var device: String? {
        let folder = "/sys/devices/virtual/video4linux"
        return (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted().first.map { "/dev/" + $0 }
    }
}
