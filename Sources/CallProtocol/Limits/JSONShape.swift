/// The shape of a JSON text, from its brackets, quotes and colons alone.
///
/// For invalid JSON it is right about the part before the first mistake.
package struct JSONShape: Sendable, Equatable {
    /// The deepest nesting of brackets and braces.
    package private(set) var depth = 0
    /// How many keys the outermost object has; repeated keys count each time.
    package private(set) var topLevelKeys = 0

    package init(_ json: some Sequence<UInt8>) {
        var level = 0
        var (isInString, isEscaped) = (false, false)
        for byte in json {
            if isEscaped {
                isEscaped = false
            } else if isInString {
                if byte == UInt8(ascii: "\\") { isEscaped = true }
                if byte == UInt8(ascii: "\"") { isInString = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    level += 1
                    depth = max(depth, level)
                case UInt8(ascii: "}"), UInt8(ascii: "]"): level -= 1
                case UInt8(ascii: ":") where level == 1: topLevelKeys += 1
                default: break
                }
            }
        }
    }
}
