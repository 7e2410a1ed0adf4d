// Turns every frame of a peer upside down and sends it back, and measures the peer's audio level.

import MediaEngine

// snippet.in
/// The call's video source, and the input that the application pushes into.
func mirrorSource() throws -> (input: VideoInput, source: VideoSource) {
    let input = try VideoInput(width: 640, height: 360, pixelFormat: .gray8)
    return (input, input.source(format: VideoFormat(width: 640, height: 360, framesPerSecond: 30)))
}
// snippet.end

// snippet.out
func mirror(_ peer: PeerConnection, into input: VideoInput) async throws {
    // No frame arrives before `setReceiving(true)`: until the user accepts, the peer stays hidden.
    let frames = peer.outputs.frames(.gray8)
    for await frame in frames where frame.width == input.width && frame.height == input.height {
        let plane = frame.planes[0]
        var rows: [UInt8] = []
        for row in (0..<frame.height).reversed() {
            let start = plane.offset + row * plane.bytesPerRow
            rows += frame.bytes[start..<start + frame.width]
        }
        // Waits for room, at most a second; a frame without room is dropped and counted.
        try await input.push(rows)
    }
    print("\(frames.dropped) frames were dropped")
}
// snippet.end

// snippet.audio
func listen(to peer: PeerConnection) async {
    for await audio in peer.outputs.samples() {
        let peak = audio.samples.map { abs(Int($0)) }.max() ?? 0
        print("\(audio.time): \(audio.sampleRate) Hz, peak \(peak)")
    }
}
// snippet.end
