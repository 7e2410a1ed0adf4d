import Foundation
import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Frames and samples from the application") struct ApplicationSourceTests {
        @Test(
            "Frames of every pixel format arrive in the chosen size",
            arguments: PixelFormat.allCases)
        func frames(format: PixelFormat) async throws {
            let input = try VideoInput(width: 160, height: 90, pixelFormat: format)
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.callerVideo = input.source(format: VideoFormat(width: 320, height: 180, framesPerSecond: 15))
            // The chroma of planar formats is grey.
            let luma = format == .i420 || format == .nv12 ? 160 * 90 : input.byteCount
            let grey = [UInt8](repeating: 128, count: input.byteCount - luma)
            let white = [UInt8](repeating: 255, count: luma) + grey
            #expect(try white.withUnsafeBytes { try input.push($0) } == .refused, "no call uses it yet")
            try await withCall(options) { call in
                try await call.connect()
                let log = try await ReceivedLog(call.callee)
                try await eventually("white frames") {
                    _ = try await input.push(white)
                    return log.last.map { $0.mean > 220 && $0.width == 320 && $0.height == 180 } == true
                }
                #expect(input.count(.accepted) > 0 && input.count(.refused) == 1)
                try await TestEngine.shared().check(options.callerVideo)
                #expect(try await input.push(white) == .accepted, "a check takes nothing away")
                await #expect(throws: MediaError.self) { try await input.push([1, 2, 3]) }
            }
            #expect(try white.withUnsafeBytes { try input.push($0) } == .refused, "no call uses it any more")
        }

        @Test("Frames keep their capture times, however unevenly they are pushed")
        func times() async throws {
            let input = try VideoInput(width: 64, height: 64, pixelFormat: .gray8)
            var options = LoopbackCall.Options()
            options.kinds = [.video]
            options.callerVideo = input.source(format: VideoFormat(width: 64, height: 64, framesPerSecond: 20))
            try await withCall(options) { call in
                try await call.connect()
                await call.callee.peer.setReceiving(true)
                let frames = call.callee.peer.outputs.frames(.gray8)
                var random = SeededGenerator(seed: 7)
                let clock = ContinuousClock()
                let (start, taken) = (clock.now, Duration.nanoseconds(Pipeline.now))
                let count = 40
                let pushing = Task {
                    for number in 0..<count {
                        // Up to 45 ms late. Sometimes two frames are pushed at the same moment.
                        let late = Duration.milliseconds(Int.random(in: 0...45, using: &random))
                        try await clock.sleep(until: start + .milliseconds(number * 50) + late)
                        let shade = [UInt8](repeating: number % 2 == 0 ? 60 : 200, count: input.byteCount)
                        try await input.push(shade, at: taken + .milliseconds(number * 50))
                    }
                }
                // Each frame arrives once: none is repeated, and none is lost.
                var shades: [Bool] = []
                for await frame in frames {
                    shades.append(frame.bytes[frame.bytes.count / 2] > 130)
                    if shades.count == count - 4 { break }
                }
                #expect(zip(shades, shades.dropFirst()).count { $0 == $1 } <= 1, "\(shades)")
                try await pushing.value
                // A frame older than the last one is dropped, but the next one is shown.
                let early = [UInt8](repeating: 255, count: input.byteCount)
                try await input.push(early, at: taken + .milliseconds((count - 3) * 50))
                for number in count..<count + 6 {
                    try await clock.sleep(until: start + .milliseconds(number * 50))
                    try await input.push(
                        [UInt8](repeating: 128, count: input.byteCount), at: taken + .milliseconds(number * 50))
                }
                for await frame in frames {
                    let shade = frame.bytes[frame.bytes.count / 2]
                    #expect(shade < 230, "an early frame is shown")
                    if (110...150).contains(shade) { break }
                }
                let shade = [UInt8](repeating: 0, count: input.byteCount)
                for wrong in [Duration.zero, .nanoseconds(Pipeline.now) + .seconds(3)] {
                    await #expect(throws: MediaError.self) { try await input.push(shade, at: wrong) }
                }
            }
        }

        @Test("A push that does not wait drops and counts excess frames; a push that waits loses none")
        func backPressure() async throws {
            let engine = try await TestEngine.shared()
            let input = try VideoInput(width: 64, height: 64, pixelFormat: .gray8)
            let source = try engine.capture(input.source())
            try await source.hold()
            let frame = [UInt8](repeating: 16, count: input.byteCount)
            for _ in 0..<500 { _ = try frame.withUnsafeBytes { try input.push($0) } }
            #expect(input.count(.accepted) + input.count(.dropped) == 500)
            #expect(input.count(.dropped) > 0)
            let dropped = input.count(.dropped)
            for _ in 0..<50 { #expect(try await input.push(frame) == .accepted) }
            #expect(input.count(.dropped) == dropped)
            await source.release()
        }

        @Test("Stereo samples of another rate arrive as the same tone")
        func samples() async throws {
            let input = try AudioInput(sampleRate: 16_000, channels: 2)
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.callerAudio = input.source
            try await withCall(options) { call in
                try await call.connect()
                let heard = try await DecodedWatch(call.callee, .audio)
                let pushing = Task {
                    let begin = ContinuousClock.now
                    var count = 0
                    while !Task.isCancelled {
                        var samples: [Int16] = []
                        for _ in 0..<320 {
                            let sample = Self.tone(at: count)
                            samples += [sample, sample]
                            count += 1
                        }
                        try input.push(samples)
                        try await Task.sleep(until: begin + .milliseconds(count / 16))
                    }
                }
                defer { pushing.cancel() }
                try await eventually("the tone") {
                    heard.listenAnew()
                    return try await abs(heard.steadyTone() - 700) < 10
                }
                #expect(input.count(.accepted) > 10)
                for wrong in [[], [1], [Int16](repeating: 0, count: 40_000)] {
                    #expect(throws: MediaError.self) { try input.push(wrong) }
                }
            }
        }

        private static func tone(at index: Int) -> Int16 {
            let phase: Double = 2 * Double.pi * 700 * Double(index) / 16_000
            return Int16(12_000 * sin(phase))
        }

        @Test("Unsupported frame sizes, sample rates and channel counts are refused")
        func shapes() throws {
            for (width, height) in [(0, 90), (161, 90), (160, 91), (20_000, 90), (-4, 4)] {
                #expect(throws: MediaError.self) { try VideoInput(width: width, height: height) }
            }
            for (rate, channels) in [(1, 1), (48_000, 3), (48_000, 0)] {
                #expect(throws: MediaError.self) { try AudioInput(sampleRate: rate, channels: channels) }
            }
        }
    }
}
