// Turns every picture of a peer upside down and sends it back, and measures how loud the peer is.

import MediaEngine

// snippet.in
/// What a call is given as its source of pictures, and what the application pushes into.
func mirrorSource() throws -> (input: VideoInput, source: VideoSource) {
    let input = try VideoInput(width: 640, height: 360, pixelFormat: .gray8)
    return (input, input.source(format: VideoFormat(width: 640, height: 360, framesPerSecond: 30)))
}
// snippet.end

// snippet.out
func mirror(_ peer: PeerConnection, into input: VideoInput) async throws {
    // Nothing comes before `setReceiving(true)`: whoever has not accepted sees nobody.
    let pictures = peer.pictures(.gray8)
    for await picture in pictures where picture.width == input.width && picture.height == input.height {
        let plane = picture.planes[0]
        var rows: [UInt8] = []
        for row in (0..<picture.height).reversed() {
            let start = plane.offset + row * plane.bytesPerRow
            rows += picture.bytes[start..<start + picture.width]
        }
        // Waits for room, at most a second; what is too much then is dropped and counted.
        try await input.push(rows)
    }
    print("\(pictures.dropped) pictures came faster than they were turned")
}
// snippet.end

// snippet.sound
func listen(to peer: PeerConnection) async {
    for await sound in peer.samples() {
        let peak = sound.samples.map { abs(Int($0)) }.max() ?? 0
        print("\(sound.time): \(sound.sampleRate) Hz, peak \(peak)")
    }
}
// snippet.end
