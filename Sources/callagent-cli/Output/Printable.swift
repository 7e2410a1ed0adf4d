extension String {
    /// The text with escaped control characters: a peer's text must not move the cursor or begin a new line.
    var printable: String {
        unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
                "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }
        .joined()
    }

    /// The text inside of XML or HTML, also in an attribute; control characters are escaped as in ``printable``.
    var markup: String {
        printable.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&apos;"
            default: result.append(character)
            }
        }
    }
}
