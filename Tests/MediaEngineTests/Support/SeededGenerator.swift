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

    mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: choices.indices, using: &self)] }
}

extension SeededGenerator {
    /// Changes, removes, repeats or moves some lines, or inserts lines of other texts, by words or by bytes.
    mutating func mutated(_ lines: [String], among samples: [[String]]) -> String {
        var lines = lines
        for _ in 0...Int.random(in: 0...4, using: &self) where !lines.isEmpty {
            let index = Int.random(in: lines.indices, using: &self)
            switch Int.random(in: 0..<8, using: &self) {
            case 0: lines.remove(at: index)
            case 1: lines.insert(lines[index], at: Int.random(in: 0...lines.count, using: &self))
            case 2: lines.swapAt(index, Int.random(in: lines.indices, using: &self))
            case 3: lines.insert(pick(pick(samples)), at: index)
            case 4...6: lines[index] = mutated(line: lines[index])
            default: lines[index] = mutated(bytes: lines[index])
            }
        }
        return lines.joined(separator: "\r\n")
    }

    private static let odd = [
        "", "0", "-1", "1", "2", "96", "111", "127", "128", "255", "256", "65535", "65536", "4294967295", "4294967296",
        "18446744073709551616", "+7", "0x10", "1e9", "NaN", "a=b", ";", "/", ":", "%s%n", "é", "\u{301}", "..", "*",
        "opus/48000/2", "VP8/90000", "H264/90000", "opus/48000", "VP8/90000/2/3", "sendonly", "recvonly", "inactive",
        "active", "passive", "actpass", "packetization-mode=1", "profile-level-id=zzzzzz", "payload=5", "media=video",
        "clock-rate=x", "encoding-name=Y", "ssrc=1", "apt=96", String(repeating: "9", count: 40),
        String(repeating: "A", count: 300),
    ]

    private mutating func mutated(line: String) -> String {
        var parts: [String] = [""]
        for character in line {
            if " :;/=".contains(character) {
                parts += [String(character), ""]
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        parts[Int.random(in: parts.indices, using: &self)] = pick(Self.odd)
        return parts.joined()
    }

    private mutating func mutated(bytes line: String) -> String {
        var bytes = Array(line.utf8)
        guard !bytes.isEmpty else { return line }
        let index = Int.random(in: bytes.indices, using: &self)
        switch Int.random(in: 0..<4, using: &self) {
        case 0: bytes[index] = .random(in: 0...255, using: &self)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(.random(in: 0...255, using: &self), at: index)
        default: bytes.removeSubrange(index...)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
