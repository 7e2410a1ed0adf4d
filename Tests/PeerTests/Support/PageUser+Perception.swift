import Foundation
import Testing

extension PageUser {
    /// What is on the page's picture of the other side.
    struct Picture: Decodable, Sendable {
        let width: Int
        let height: Int
        /// Seven places of a row at a fifth of the height, from left to right: red, green, blue.
        let bars: [[Int]]
        /// Changes with any pixel.
        let hash: Int

        /// The seven bars of the SMPTE test picture.
        var isSMPTE: Bool {
            let expected = [
                [255, 255, 255], [255, 255, 0], [0, 255, 255], [0, 255, 0], [255, 0, 255], [255, 0, 0], [0, 0, 255],
            ]
            return zip(bars, expected).allSatisfy { bar, colour in zip(bar, colour).allSatisfy { abs($0 - $1) < 60 } }
        }

        var isBlack: Bool { bars.allSatisfy { $0.allSatisfy { $0 < 40 } } }
    }

    /// The pitch that is played, and how loud it is in dB below the loudest possible.
    struct Sound: Decodable, Sendable {
        let hertz: Double
        let decibel: Double
    }

    func look() async throws -> Picture {
        try await browser.evaluate(
            """
            const video = document.getElementById('remote-video');
            const canvas = new OffscreenCanvas(140, 80);
            const context = canvas.getContext('2d', { willReadFrequently: true });
            context.drawImage(video, 0, 0, 140, 80);
            const pixels = context.getImageData(0, 0, 140, 80).data;
            const bars = [0, 1, 2, 3, 4, 5, 6].map((bar) => Array.from(pixels.slice((16 * 140 + bar * 20 + 10) * 4).slice(0, 3)));
            return { width: video.videoWidth, height: video.videoHeight, bars,
              hash: pixels.reduce((sum, value) => (sum * 31 + value) % 1000003, 7) };
            """)
    }

    /// Waits for the picture to be what it should.
    func seePicture(
        _ text: String, sourceLocation: SourceLocation = #_sourceLocation, _ isRight: (Picture) -> Bool
    ) async throws {
        var last: Picture?
        do {
            try await eventually("\(name) sees \(text)", sourceLocation: sourceLocation) {
                let picture = try await look()
                last = picture
                return isRight(picture)
            }
        } catch {
            Issue.record("the last picture was \(String(describing: last))", sourceLocation: sourceLocation)
            throw error
        }
    }

    /// Waits for the picture to change so many times.
    func seeMotion(_ changes: Int = 5, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        var hashes: Set<Int> = []
        try await seePicture("\(changes) different pictures", sourceLocation: sourceLocation) {
            hashes.insert($0.hash)
            return hashes.count > changes
        }
    }

    /// What the browser decoded meanwhile, whether the page shows it or not.
    struct Arrivals: Decodable, Sendable {
        let pictures: Int
        /// Of sound, 48,000 a second; none of those that are made up for what is missing.
        let samples: Int
    }

    /// Counts what is decoded from now on, for about a second.
    func receives() async throws -> Arrivals {
        try await browser.evaluate(
            """
            const { call } = window.callagent;
            const next = async (figures) => {
              while (call.figures === figures) await new Promise((resolve) => setTimeout(resolve, 20));
              return call.figures;
            };
            const before = await next(call.figures);
            const after = await next(await next(before));
            const count = (kind) => after[kind].received.decoded - before[kind].received.decoded;
            return { pictures: count('video'), samples: count('audio') };
            """)
    }

    func receivesNothing(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let arrivals = try await receives()
        // A browser may count the end of what it had as played now.
        #expect(arrivals.pictures == 0 && arrivals.samples < 4_800, "\(arrivals)", sourceLocation: sourceLocation)
    }

    /// Listens to what the page plays, for a moment.
    ///
    /// It is recorded and looked at, since a browser on a machine without a sound card may have no clock for Web Audio.
    func listen() async throws -> Sound {
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
            const sound = await decoder.decodeAudioData(await new Blob(parts).arrayBuffer());
            const samples = sound.getChannelData(0).slice(-16384);
            let [hertz, best] = [0, 0];
            for (let pitch = 100; pitch <= 2000; pitch += 4) {
              const [step, window] = [2 * Math.PI * pitch / 48000, 2 * Math.PI / samples.length];
              let [real, imaginary] = [0, 0];
              samples.forEach((sample, index) => {
                const weighted = sample * (1 - Math.cos(window * index));
                real += weighted * Math.cos(step * index);
                imaginary += weighted * Math.sin(step * index);
              });
              const level = 2 * Math.hypot(real, imaginary) / samples.length;
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
        _ text: String, sourceLocation: SourceLocation = #_sourceLocation, _ isRight: (Sound) -> Bool
    ) async throws {
        var last: Sound?
        do {
            try await eventually("\(name) hears \(text)", sourceLocation: sourceLocation) {
                let sound = try await listen()
                last = sound
                return isRight(sound)
            }
        } catch {
            Issue.record("the last sound was \(String(describing: last))", sourceLocation: sourceLocation)
            throw error
        }
    }
}
