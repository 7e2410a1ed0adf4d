internal import Foundation

/// The device that a command signs in as.
struct DeviceName: Sendable {
    /// Nil for the default of the signaling.
    var name: String?
    /// Whether it shares the calls of its user with the user's other devices.
    var isInPool = false

    /// A name that no other program has: members of a pool need different ones.
    static let unique: String = {
        let host = ProcessInfo.processInfo.hostName.unicodeScalars.filter { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "-")
        }
        let random = (0..<8).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
        return String(String.UnicodeScalarView(host.prefix(40))) + "-" + random
    }()
}
