internal import MediaEngine

/// The size of pictures as the command line has it: `640x360` or `640x360@15`.
enum VideoSizeArgument {
    /// Nil for what is no size.
    static func format(_ text: String) -> VideoFormat? {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let numbers = parts[0].split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard numbers.count == 2, numbers.allSatisfy({ (16...4_096).contains($0) && $0 % 2 == 0 }) else { return nil }
        guard parts.count > 1 else { return VideoFormat(width: numbers[0], height: numbers[1]) }
        guard parts.count == 2, let rate = Int(parts[1]), (1...120).contains(rate) else { return nil }
        return VideoFormat(width: numbers[0], height: numbers[1], framesPerSecond: rate)
    }

    /// What is wrong with it, for the end of an error line.
    static func advice(_ text: String) -> String {
        "'\(text)' is no size; use WIDTHxHEIGHT with even numbers from 16 to 4096, such as 640x360, "
            + "and @FPS from 1 to 120 after it for another rate than 30"
    }
}
