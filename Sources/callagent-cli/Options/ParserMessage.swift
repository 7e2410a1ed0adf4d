/// The argument parser's messages about wrong values, in the form of the program's own: the option, the fault, and what to write.
enum ParserMessage {
    /// The message about `arguments` in one line.
    static func line(_ message: String, _ arguments: [String]) -> String {
        let text = message.split(separator: "\n").joined(separator: " ")
        let wrong = /The value '(?<value>.*)' is invalid for '(?<option>--[a-z-]+) <(?<forms>[^>]+)>'(: (?<reason>.+))?/
        if let match = text.wholeMatch(of: wrong) {
            if let reason = match.reason { return "\(match.option): \(reason)" }
            return durationFault(match.option, match.value, match.forms) ?? fault(match.option, match.forms)
        }
        // A negative number looks like an option to the parser.
        if let match = text.wholeMatch(of: /Missing value for '(?<option>--[a-z-]+) <(?<forms>[^>]+)>'/),
            let place = arguments.lastIndex(of: String(match.option)), place + 1 < arguments.count,
            arguments[place + 1].hasPrefix("-"), arguments[place + 1].contains(where: \.isNumber)
        {
            return durationFault(match.option, arguments[place + 1][...], match.forms)
                ?? "\(match.option): a value that begins with '-' is written \(match.option)=\(arguments[place + 1])"
        }
        return text
    }

    /// Without the value, which may have a password.
    private static func fault(_ option: Substring, _ forms: Substring) -> String {
        let numbers: Set<Substring> = ["N", "M", "count", "kbit"]
        let forms = numbers.contains(forms) ? "a whole number" : forms.replacing("|", with: " or ")
        return "\(option): this value is not possible; use \(forms)"
    }

    private static func durationFault(_ option: Substring, _ value: Substring, _ forms: Substring) -> String? {
        let forms = forms.split(separator: "|").map(String.init)
        guard isDuration(forms) else { return nil }
        return "\(option): \(DurationArgument.fault(of: String(value), forms: forms))"
    }

    /// The name of a duration's value gives examples, such as `2s|500ms`.
    private static func isDuration(_ forms: [String]) -> Bool {
        let durations = forms.count { DurationArgument(argument: $0) != nil }
        // Besides durations there may be words such as `forever`, but no rates such as `5/s`.
        return durations > 0 && durations + forms.count { $0.allSatisfy(\.isLetter) } == forms.count
    }
}
