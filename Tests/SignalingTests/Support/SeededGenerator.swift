/// SplitMix64: the same seed always gives the same numbers, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

extension SeededGenerator {
    /// Random bytes, or a valid text with a few bytes changed, removed or repeated.
    mutating func mutated(_ samples: [String]) -> [UInt8] {
        if Int.random(in: 0..<4, using: &self) == 0 {
            return (0..<Int.random(in: 0...200, using: &self)).map { _ in .random(in: 0...255, using: &self) }
        }
        var bytes = Array((samples.randomElement(using: &self) ?? "{}").utf8)
        for _ in 0...Int.random(in: 0...6, using: &self) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes[index] = .random(in: 0...255, using: &self)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(Array(#"{}[]",:\0-e"#.utf8).randomElement(using: &self) ?? 0, at: index)
            case 3: bytes.append(contentsOf: bytes[index...])
            default: bytes.removeSubrange(index...)
            }
        }
        return bytes
    }
}
