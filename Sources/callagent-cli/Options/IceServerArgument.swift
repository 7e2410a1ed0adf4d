internal import ArgumentParser
internal import CallAgent
internal import MediaEngine

/// A STUN or TURN server as a person writes it: a URL of RFC 7064 or RFC 7065, with `USER:PASSWORD@` before the host for TURN.
///
/// The password may hold any character, `@` included; the user name no colon.
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

    /// In the engine's words.
    var checked: StunTurnServer {
        StunTurnServer(urls: server.urls, username: server.username, credential: server.credential)
    }
}
