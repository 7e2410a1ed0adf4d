import Foundation
import Testing

extension PageUser {
    /// The content of the peer's video on the page.
    struct Frame: Decodable, Sendable {
        let width: Int
        let height: Int
        /// Red, green and blue at seven places of a row at a fifth of the height, from left to right.
        let bars: [[Int]]
        /// A checksum that changes with any pixel.
        let hash: Int

        /// The seven bars of the SMPTE test pattern.
        var isSMPTE: Bool {
            let expected = [
                [255, 255, 255], [255, 255, 0], [0, 255, 255], [0, 255, 0], [255, 0, 255], [255, 0, 0], [0, 0, 255],
            ]
            return zip(bars, expected).allSatisfy { bar, colour in zip(bar, colour).allSatisfy { abs($0 - $1) < 60 } }
        }

        var isBlack: Bool { bars.allSatisfy { $0.allSatisfy { $0 < 40 } } }
    }

    /// The pitch that is played, and its level in dB relative to full scale.
    struct Audio: Decodable, Sendable {
        let hertz: Double
        let decibel: Double
    }

    /// The video of an element: the peer's first one, or another one.
    func look(at element: String = "#remote-video") async throws -> Frame {
        try await browser.evaluate(
            """
            const video = document.querySelector('\(element)');
            const canvas = new OffscreenCanvas(140, 80);
            const context = canvas.getContext('2d', { willReadFrequently: true });
            context.drawImage(video, 0, 0, 140, 80);
            const pixels = context.getImageData(0, 0, 140, 80).data;
            const bars = [0, 1, 2, 3, 4, 5, 6].map((bar) => Array.from(pixels.slice((16 * 140 + bar * 20 + 10) * 4).slice(0, 3)));
            return { width: video.videoWidth, height: video.videoHeight, bars,
              hash: pixels.reduce((sum, value) => (sum * 31 + value) % 1000003, 7) };
            """)
    }

    /// Waits until the peer's video has the expected content.
    func seeVideo(
        _ text: String, at element: String = "#remote-video", sourceLocation: SourceLocation = #_sourceLocation,
        _ isRight: (Frame) -> Bool
    ) async throws {
        var last: Frame?
        do {
            try await eventually("\(name) sees \(text)", sourceLocation: sourceLocation) {
                let frame = try await look(at: element)
                last = frame
                return isRight(frame)
            }
        } catch {
            Issue.record("the last frame was \(String(describing: last))", sourceLocation: sourceLocation)
            throw error
        }
    }

    /// Waits until the peer's video has changed this many times.
    func seeMotion(
        _ changes: Int = 5, at element: String = "#remote-video", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var hashes: Set<Int> = []
        try await seeVideo("\(changes) different frames", at: element, sourceLocation: sourceLocation) {
            hashes.insert($0.hash)
            return hashes.count > changes
        }
    }

    /// Waits until first the agent (``Program/restartsIce``) and then the browser has found another network path; media continues.
    func changesPaths(with agent: Program) async throws {
        // More are no error: a busy browser that sends nothing for a moment looks like a broken path.
        try await eventually("another path at the agent") { agent.foundPaths >= 1 }
        try await agent.perceives(.everything)
        let count = { (event: String) in agent.count(of: ["event": event]) }
        let byPeer = { agent.count(of: ["event": "networkChangeStarted", "by": "peer"]) }
        let before = (paths: agent.foundPaths, byPeer: byPeer())
        var searchesBefore: Int?
        do {
            try await eventually("the browser's path at the agent") {
                if byPeer() > before.byPeer { return agent.foundPaths > before.paths }
                // A search that the agent begins at the same moment takes the browser's in. Then the browser begins once more.
                let searches = count("networkChangeStarted")
                if searches == count("networkChangeEnded"), searches != searchesBefore {
                    searchesBefore = searches
                    // As when the browser's network is back.
                    try await browser.perform("window.dispatchEvent(new Event('online'))")
                }
                return false
            }
        } catch {
            let changes = agent.events.filter { ($0["event"] as? String)?.hasPrefix("networkChange") == true }
            Issue.record("the agent's searches: \(changes)")
            throw error
        }
        try await agent.perceives(.everything)
        try await seeMotion()
        try await hearTone(440)
        #expect(agent.count(of: ["event": "networkChangeStarted", "by": "local"]) >= 1)
        #expect(agent.count(of: ["event": "stateChanged", "state": "reconnecting"]) == 0)
    }

    /// The media that the browser decoded in an interval, shown or not.
    struct Arrivals: Decodable, Sendable {
        let frames: Int
        /// Audio samples, 48,000 per second, without those that conceal lost packets.
        let samples: Int
    }

    /// Counts the decoded media for about a second, from now on.
    func receives() async throws -> Arrivals {
        try await browser.evaluate(
            """
            const { call } = window.callagent;
            const next = async (figures) => {
              while (call.figures === figures) await new Promise((resolve) => setTimeout(resolve, 20));
              return call.figures;
            };
            const before = await next(call.figures);
            let after = before;
            while (after.at - before.at < 900) after = await next(after);
            const count = (kind) => after[kind].received.decoded - before[kind].received.decoded;
            return { frames: count('video'), samples: count('audio') };
            """)
    }

    func receivesNothing(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let arrivals = try await receives()
        // A browser may count the end of its earlier audio as played now.
        #expect(arrivals.frames == 0 && arrivals.samples < 4_800, "\(arrivals)", sourceLocation: sourceLocation)
    }

    /// Measures the audio that the page plays, for a short time.
    ///
    /// The audio is recorded and analysed, since a browser on a machine without a sound card may have no clock for Web Audio.
    func listen() async throws -> Audio {
        try await browser.evaluate(
            """
            const tracks = document.getElementById('remote-video').srcObject.getAudioTracks();
            const recorder = new MediaRecorder(new MediaStream(tracks));
            const parts = [];
            recorder.ondataavailable = ({ data }) => parts.push(data);
            const stopped = new Promise((resolve) => { recorder.onstop = resolve; });
            recorder.start();
            await new Promise((resolve) => setTimeout(resolve, 700));
            recorder.stop();
            await stopped;
            const decoder = new OfflineAudioContext(1, 48000, 48000);
            const audio = await decoder.decodeAudioData(await new Blob(parts).arrayBuffer());
            const count = 16384;
            // An array of the script's own: a script that drives Firefox reads each sample of a page's array through a wrapper.
            const samples = Array.from(
              audio.getChannelData(0).slice(-count), (sample, index) => sample * (1 - Math.cos(2 * Math.PI * index / count)));
            let [hertz, best] = [0, 0];
            for (let pitch = 100; pitch <= 2000; pitch += 4) {
              // The Goertzel algorithm: one multiplication per sample, where a busy browser needs seconds for sines.
              const factor = 2 * Math.cos(2 * Math.PI * pitch / 48000);
              let last = 0, before = 0;
              for (let index = 0; index < count; index += 1) {
                const next = samples[index] + factor * last - before;
                before = last;
                last = next;
              }
              const level = 2 * Math.sqrt(Math.max(0, last * last + before * before - factor * last * before)) / count;
              if (level > best) [hertz, best] = [pitch, level];
            }
            return { hertz, decibel: 20 * Math.log10(Math.max(best, 1e-9)) };
            """)
    }

    /// Waits for a tone of that pitch.
    func hearTone(_ hertz: Double, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await hear("\(hertz) Hz", sourceLocation: sourceLocation) { $0.decibel > -60 && abs($0.hertz - hertz) <= 4 }
    }

    func hearSilence(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await hear("silence", sourceLocation: sourceLocation) { $0.decibel < -80 }
    }

    func hear(
        _ text: String, sourceLocation: SourceLocation = #_sourceLocation, _ isRight: (Audio) -> Bool
    ) async throws {
        var last: Audio?
        do {
            try await eventually("\(name) hears \(text)", sourceLocation: sourceLocation) {
                let audio = try await listen()
                last = audio
                return isRight(audio)
            }
        } catch {
            Issue.record("the last audio was \(String(describing: last))", sourceLocation: sourceLocation)
            throw error
        }
    }
}
