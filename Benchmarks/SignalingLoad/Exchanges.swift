import NIOCore

/// Messages and their answers between pairs of clients, at a steady rate.
///
/// Runs on the generator's event loop.
final class Exchanges {
    private let clients: [LoadClient]
    private let loop: any EventLoop
    private let perSecond: Int
    private var latencies: [Int64] = []
    private var sent = 0
    private var next = 0

    /// The clients at 2n and 2n+1 talk to each other.
    init(_ clients: [LoadClient], perSecond: Int, loop: any EventLoop) {
        self.clients = clients
        self.loop = loop
        self.perSecond = perSecond
        for client in clients {
            client.received = { [weak self] in self?.received($1, by: $0) }
            client.ended = { [weak self] in self?.lost += 1 }
        }
    }

    /// How many connections were lost.
    private(set) var lost = 0

    /// Runs for `duration`; returns the latency of each message of each exchange, in ns, and how many messages were sent.
    func run(for duration: TimeAmount) -> EventLoopFuture<(latencies: [Int64], sent: Int)> {
        (latencies, sent) = ([], 0)
        let promise = loop.makePromise(of: (latencies: [Int64], sent: Int).self)
        let (start, end) = (NIODeadline.now(), NIODeadline.now() + duration)
        var begun = 0
        func tick() {
            let now = NIODeadline.now()
            guard now < end else {
                // Messages that are on their way count, too.
                loop.assumeIsolated().scheduleTask(in: .milliseconds(500)) { [self] in
                    promise.succeed((latencies, sent))
                }
                return
            }
            // A late tick makes up for the exchanges it missed.
            while begun < Int((now - start).nanoseconds) / (1_000_000_000 / perSecond) {
                begin()
                begun += 1
            }
            loop.assumeIsolated().scheduleTask(in: .milliseconds(1)) { tick() }
        }
        tick()
        return promise.futureResult
    }

    private func begin() {
        let pair = next % (clients.count / 2)
        next += 1
        send("candidate", from: clients[2 * pair], to: clients[2 * pair + 1].user)
    }

    private func send(_ type: String, from client: LoadClient, to user: String) {
        sent += 1
        // As long as a candidate is.
        let body = "candidate:1 1 UDP 2015363327 192.0.2.1 50000 typ host"
        client.send(
            #"{"v":1,"type":"\#(type)","id":"m\#(sent)","callId":"load","from":"\#(client.user)","to":"\#(user)","#
                + #""candidate":"\#(body)","mLine":0,"sentUnixMs":0,"ns":\#(NIODeadline.now().uptimeNanoseconds)}"#)
    }

    private func received(_ text: ByteBuffer, by client: LoadClient) {
        let now = NIODeadline.now().uptimeNanoseconds
        let text = String(buffer: text)
        guard let mark = text.range(of: #""ns":"#), let sent = UInt64(text[mark.upperBound...].dropLast()) else {
            return
        }
        latencies.append(Int64(now &- sent))
        guard text.hasPrefix(#"{"v":1,"type":"candidate""#), let from = text.range(of: #""from":""#) else { return }
        send("ack", from: client, to: String(text[from.upperBound...].prefix { $0 != "\"" }))
    }
}

extension String {
    fileprivate func range(of text: String) -> Range<String.Index>? { firstRange(of: text) }
}
