import Foundation

/// A sine that sounds for 250 ms of every 400 ms.
///
/// A browser's noise suppression for microphones would remove a steady tone.
struct PulsedTone {
    /// A multiple of 10, so that the file can be played in a loop.
    let hertz: Int

    /// 2 s of it as a WAV file of 48 kHz, 16 bits and one channel.
    var wave: Data {
        let samples = (0..<96_000).map { index in
            let isOn = index % 19_200 < 12_000
            return isOn ? Int16(16_000 * sin(2 * Double.pi * Double(hertz * index) / 48_000)) : 0
        }
        var data = Data("RIFF".utf8)
        func add<Number: FixedWidthInteger>(_ number: Number) {
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
        }
        add(UInt32(36 + 2 * samples.count))
        data += Data("WAVEfmt ".utf8)
        add(UInt32(16))
        // PCM, one channel.
        for number: UInt16 in [1, 1] { add(number) }
        for number: UInt32 in [48_000, 96_000] { add(number) }
        for number: UInt16 in [2, 16] { add(number) }
        data += Data("data".utf8)
        add(UInt32(2 * samples.count))
        samples.forEach(add)
        return data
    }
}
