internal import ArgumentParser
internal import CallAgent
internal import MediaEngine

/// A STUN or TURN server on the command line: a URL of RFC 7064 or RFC 7065, with `USER:PASSWORD@` before the host for TURN.
///
/// The password may contain any character, including `@`. The user name must not contain a colon.
struct IceServerArgument: ExpressibleByArgument, Equatable {
    let server: IceServer

    init?(argument: String) {
        guard let colon = argument.firstIndex(of: ":") else { return nil }
        let rest = argument[argument.index(after: colon)...]
        guard let at = rest.lastIndex(of: "@") else {
            server = IceServer(urls: [argument])
            return
        }
        let names = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard names.count == 2 else { return nil }
        server = IceServer(
            urls: ["\(argument[...colon])\(rest[rest.index(after: at)...])"], username: String(names[0]),
            credential: String(names[1]))
    }

    /// The server as the engine's type.
    var checked: StunTurnServer {
        StunTurnServer(urls: server.urls, username: server.username, credential: server.credential)
    }
}

/// A range of ports on the command line: `FIRST-LAST`, neither of them 0.
struct PortRangeArgument: ExpressibleByArgument, Equatable {
    let ports: ClosedRange<UInt16>

    init?(argument: String) {
        let ends = argument.split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first > 0, first <= last else { return nil }
        ports = first...last
    }
}
