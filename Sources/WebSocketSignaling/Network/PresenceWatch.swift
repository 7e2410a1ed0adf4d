internal import CallAgent
internal import NIOCore

/// The users whose presence the application watches, across all connections of a ``Session``.
///
/// Runs on its event loop only.
final class PresenceWatch {
    enum Whom: Sendable, Equatable {
        case everybody
        /// Valid names.
        case named([String])
    }

    private struct Present {
        let number: Int
        let whom: Whom
        let inbox: AsyncStream<Presence>.Continuation
    }

    private let loop: any EventLoop
    private let answer = PendingAnswer()
    private var present: Present?
    private var count = 0

    init(loop: any EventLoop) { self.loop = loop }

    /// Watches these users instead of the former ones, whose stream ends; the request is sent when there is a connection.
    ///
    /// The result is a number for ``end(_:on:)``.
    func begin(_ whom: Whom, inbox: AsyncStream<Presence>.Continuation) -> Int {
        present?.inbox.finish()
        count += 1
        present = Present(number: count, whom: whom, inbox: inbox)
        return count
    }

    /// The same with the server's answer; fails with `late` when there is none within `limit`.
    func begin(
        _ whom: Whom, inbox: AsyncStream<Presence>.Continuation, on link: LinkHandler, within limit: Duration,
        late: SignalingError
    ) -> EventLoopFuture<Int> {
        guard let answered = answer.begin(on: loop, within: TimeAmount(limit), late: late) else {
            return loop.makeFailedFuture(
                SignalingError.signInRefused(code: 409, text: "the answer to the last watch is not there yet"))
        }
        let number = begin(whom, inbox: inbox)
        if link.send(Self.request(whom)) == nil { answer.end(.failure(.notConnected)) }
        return answered.map { number }
    }

    /// That stream has no reader any more; `link` is the connection, if there is one.
    func end(_ number: Int, on link: LinkHandler?) {
        guard present?.number == number else { return }
        present = nil
        _ = link?.send(Self.request(.named([])))
    }

    /// Watches the same users on another connection.
    func resume(on link: LinkHandler) { if let present { _ = link.send(Self.request(present.whom)) } }

    /// Takes what the server says about a watch.
    func take(_ notice: ServerNotice) {
        switch notice {
        case .watching: answer.end(.success(()))
        case .watchRefused(let code, let text):
            present.take()?.inbox.finish()
            answer.end(.failure(.signInRefused(code: code, text: text)))
        case .presence(let presence): present?.inbox.yield(presence)
        case .renewed, .renewalRefused, .tokenWillExpire, .iceServers: break
        }
    }

    /// The connection ended; another one will follow.
    func connectionLost() { answer.end(.failure(.notConnected)) }

    /// Ends the stream for good.
    func finish() {
        answer.end(.failure(.closed))
        present.take()?.inbox.finish()
    }

    /// The request to the server; names need no escaping.
    private static func request(_ whom: Whom) -> String {
        let users =
            switch whom {
            case .everybody: #""*""#
            case .named(let names): "[" + names.map { "\"\($0)\"" }.joined(separator: ",") + "]"
            }
        return #"{"v":1,"type":"watch","users":\#(users)}"#
    }
}
