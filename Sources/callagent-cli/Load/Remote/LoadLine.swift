internal import CallAgent
internal import Foundation
internal import Logging

/// A device at the other end of a ``LoadLine``.
struct LoadParty: Sendable, Hashable {
    let device: String
    /// The load; messages about another one are of another party.
    let load: String
}

/// Exchanges values between the machines of a load, over any signaling: each is sent as one or several `info` messages between two devices.
///
/// The delivery of call messages makes it reliable; whose device a message is from, the signaling server checks.
actor LoadLine<Outgoing: Encodable & Sendable, Incoming: Decodable & Sendable> {
    enum Event: Sendable {
        case received(Incoming, from: LoadParty)
        /// The program of a device has ended, or sends what cannot be read.
        case gone(LoadParty)
        /// The signaling has ended.
        case ended(String)
    }

    nonisolated let events: AsyncStream<Event>
    private let inbox: AsyncStream<Event>.Continuation
    private let line: SignalingLine
    private let user: String
    private let peer: String
    private var count = 0
    /// What waits to be sent about each load.
    private var waiting: [String: [(text: Substring, party: LoadParty?)]] = [:]
    /// The last loads whose other end is gone.
    private var over: [String] = []
    private var parts: [LoadParty: String] = [:]
    /// The parties that are said to be gone, but may be back.
    private var doubted: Set<LoadParty> = []
    private var isConnected = true

    /// The longest value, in bytes of JSON.
    private let longest = 1_048_576
    /// The largest number of a value, more than ms since 1970.
    private static var largest: Double { 1e13 }
    /// How often, a second apart, a party is asked whether it is there.
    private static var questions: Int { 5 }
    /// How many messages about a load may wait for their acknowledgement.
    private let window = 256

    /// - Parameters:
    ///   - user: who signs in.
    ///   - peer: the only user that is heard.
    init(_ transport: any SignalingTransport, user: String, peer: String, logger: Logger) {
        (self.user, self.peer) = (user, peer)
        line = SignalingLine(transport, user: user, logger: logger)
        (events, inbox) = AsyncStream.makeStream()
    }

    /// Signs in and begins to listen.
    func connect() async throws(Failure) {
        do throws(SignalingError) { try await line.connect() } catch { throw Failure(.signaling(error)) }
        await line.begin { [weak self] event in await self?.take(event) }
    }

    /// Sends a value to a party, or with nil to all devices of the peer.
    func send(_ value: Outgoing, to party: LoadParty?, load: String) {
        guard !over.contains(load), let data = try? JSONEncoder().encode(value) else { return }
        let isSending = waiting[load] != nil
        var rest = Substring(String(decoding: data, as: UTF8.self))
        repeat {
            let part = Self.part(of: rest)
            rest = rest[part.endIndex...]
            waiting[load, default: []].append(((rest.isEmpty ? "." : "+") + part, party))
        } while !rest.isEmpty
        if !isSending { Task { await sendAll(load) } }
    }

    /// As much as fits into one message.
    private static func part(of text: Substring) -> Substring {
        let limit = SignalingLimits.infoBytes - 1
        var end = text.utf8.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex) ?? text.endIndex
        // Not within a character.
        while end < text.endIndex, end.samePosition(in: text.base.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        return text[..<end]
    }

    private func sendAll(_ load: String) async {
        while let next = waiting[load]?.prefix(window), !next.isEmpty {
            for (text, party) in next {
                post(.info(String(text)), to: party?.device, load: load)
            }
            waiting[load]?.removeFirst(next.count)
            await line.waitUntilAcknowledged(CallKey(peer: peer, callId: load))
        }
        waiting[load] = nil
    }

    /// Lets the server tell both ends when the other one is gone.
    func watch(_ party: LoadParty) { post(.query, to: party.device, load: party.load) }

    /// The other end of a load is gone: nothing is sent about it any more, nor repeated.
    func forget(_ load: String) {
        over.append(load)
        if over.count > 64 { over.removeFirst() }
        waiting[load] = nil
        line.forget(CallKey(peer: peer, callId: load))
        parts = parts.filter { $0.key.load != load }
    }

    private func post(_ body: SignalingMessage.Body, to device: String?, load: String) {
        count += 1
        var message = SignalingMessage(
            id: "l\(count)", callId: load, from: user, to: peer,
            sentUnixMs: Date().timeIntervalSince1970 * 1_000, body: body)
        (message.device, message.toDevice) = (line.device, device)
        line.send(message)
    }

    /// Sends what waits, as far as the other end acknowledges it within `limit`, and signs out.
    func close(waiting limit: Duration = .seconds(2)) async {
        let end = ContinuousClock.now + limit
        while !waiting.isEmpty, ContinuousClock.now < end {
            // The polling interval.
            try? await Task.sleep(for: .milliseconds(20))
        }
        await line.close(waiting: .zero)
        inbox.finish()
    }

    private func take(_ event: SignalingLine.Event) {
        switch event {
        case .received(let message) where message.from == peer:
            guard let device = message.device else { return }
            let party = LoadParty(device: device, load: message.callId)
            if case .gone = message.body { return doubt(party) }
            doubted.remove(party)
            switch message.body {
            case .info(let content): take(content, from: party)
            case .query: post(.status(.connected), to: device, load: party.load)
            default: break
            }
        // It will never arrive, so the load cannot go on.
        case .failed(let message, _, _):
            guard let device = message.toDevice, message.body != .query else { return }
            inbox.yield(.gone(LoadParty(device: device, load: message.callId)))
        case .lost: isConnected = false
        case .restored: isConnected = true
        case .ended(let error): inbox.yield(.ended(error.description))
        case .received, .tokenWillExpire, .tokenRenewed, .tokenNotRenewed, .iceServers: break
        }
    }

    /// Asks whether a party is there: a server that is started again, or a connection that is made again, is no end of the program.
    private func doubt(_ party: LoadParty) {
        guard doubted.insert(party).inserted else { return }
        Task {
            var questions = 0
            while questions < Self.questions {
                if isConnected {
                    questions += 1
                    watch(party)
                }
                try? await Task.sleep(for: .seconds(1))
                guard doubted.contains(party) else { return }
            }
            doubted.remove(party)
            inbox.yield(.gone(party))
        }
    }

    /// Nil for what is no such value, and for numbers that no load has: sums of them would overflow.
    static func value(of text: String) -> Incoming? {
        let data = Data(text.utf8)
        guard let object = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed),
            hasPossibleNumbers(object)
        else { return nil }
        return try? JSONDecoder().decode(Incoming.self, from: data)
    }

    private static func hasPossibleNumbers(_ value: Any) -> Bool {
        switch value {
        case let object as [String: Any]: object.values.allSatisfy(hasPossibleNumbers)
        case let list as [Any]: list.allSatisfy(hasPossibleNumbers)
        case let number as NSNumber: number.doubleValue.magnitude <= largest
        default: true
        }
    }

    private func take(_ content: String, from party: LoadParty) {
        let text = (parts.removeValue(forKey: party) ?? "") + content.dropFirst()
        guard content.hasPrefix("+") else {
            guard let value = Self.value(of: text) else {
                inbox.yield(.gone(party))
                return
            }
            inbox.yield(.received(value, from: party))
            return
        }
        guard text.utf8.count <= longest, parts.values.reduce(0, { $0 + $1.utf8.count }) <= 64 * longest else {
            inbox.yield(.gone(party))
            return
        }
        parts[party] = text
    }
}
