internal import NIOHTTP1
internal import TLSClient

/// Says in a few words for people what an error of the network means.
enum FailureText {
    static func text(_ error: any Error) -> String {
        switch error {
        case is HTTPParserError: "the server does not speak HTTP"
        case is NIOHTTPClientUpgradeError: "the server does not speak WebSocket"
        default: ConnectionFailure.text(error, plain: "ws://") ?? "the connection failed"
        }
    }
}
