internal import CallProtocol
internal import FoundationEssentials
internal import Logging

/// A session on a Janus server: requests with their answers, and the events of its handles.
actor JanusSession {
    /// The events that answer no request of this end, in order; ends with the connection.
    nonisolated let events: AsyncStream<JanusMessage>
    /// How long a request may take.
    nonisolated let limit: Duration

    private let open: @Sendable () async throws(RoomError) -> JanusSocket
    private let credentials: JanusCredentials
    private let inbox: AsyncStream<JanusMessage>.Continuation
    /// Nil while there is no connection.
    private var socket: JanusSocket?
    private var number: UInt64?
    private var requests: UInt64 = 0
    private var waiting: [String: Waiting] = [:]
    /// The requests that wait for a connection.
    private var held: [CheckedContinuation<Void, Never>] = []
    private var reading: Task<Void, Never>?
    private var keeping: Task<Void, Never>?
    /// Why the session is over; nil while it is not.
    private(set) var end: String?
    private var isReconnecting = false

    private struct Waiting {
        /// Whether the acknowledgement is the answer.
        let endsWithAck: Bool
        let deadline: Task<Void, Never>
        let answer: CheckedContinuation<Result<JanusMessage, RoomError>, Never>
    }

    /// How often the server hears of this end; it forgets a session after 60 s of silence by default.
    private static let keepaliveInterval = Duration.seconds(15)
    /// How long the server may take to answer when the connection is in doubt.
    private static let checkLimit = Duration.seconds(2)
    /// How long another connection for the same session is tried.
    private static let reclaimLimit = Duration.seconds(20)
    private static let reclaimPause = Duration.milliseconds(500)
    /// The most events that wait; a session that reads none is broken.
    private static let maximumWaiting = 1_024

    /// A session that `open` makes the connections for; each request may take `limit`.
    init(
        _ credentials: JanusCredentials, limit: Duration,
        open: @escaping @Sendable () async throws(RoomError) -> JanusSocket
    ) {
        (self.open, self.credentials, self.limit) = (open, credentials, limit)
        (events, inbox) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
    }

    /// Connects, and creates the session on the server.
    func begin() async throws(RoomError) {
        read(try await open())
        number = try await request(JanusRequest("create"), "create").data?.id
        keeping = Task { [weak self] in
            while (try? await Task.sleep(for: Self.keepaliveInterval)) != nil {
                guard let self else { return }
                await self.keepAlive(within: nil)
            }
        }
    }

    /// Makes a handle for the plugin VideoRoom.
    func attach() async throws(RoomError) -> UInt64 {
        var attach = JanusRequest("attach")
        attach.plugin = "janus.plugin.videoroom"
        guard let handle = try await request(attach, "attach").data?.id else { throw Self.nonsense }
        return handle
    }

    /// Asks the plugin, and waits for what it says.
    func ask(
        _ body: VideoRoomRequest, _ handle: UInt64, _ jsep: JanusDescription? = nil
    ) async throws(RoomError) -> (event: VideoRoomEvent, description: String?) {
        var message = JanusRequest("message")
        (message.handle, message.body, message.jsep) = (handle, body, jsep)
        let answer = try await request(message, body.request)
        guard let event = answer.plugindata?.data else { throw Self.nonsense }
        if let code = event.errorCode { throw Self.error(code, event.error ?? "", of: body) }
        return (event, answer.jsep?.sdp)
    }

    /// Sends what needs no answer but the acknowledgement, which is not waited for.
    func tell(_ request: JanusRequest) { send(request, transaction: nextTransaction()) }

    /// Finds out soon whether the connection still works, and makes another one if it does not.
    func check() async {
        if let fault = socket?.fault { return await reconnect(fault) }
        await keepAlive(within: Self.checkLimit)
    }

    /// Asks for a sign of life.
    private func keepAlive(within limit: Duration?) async {
        guard number != nil, end == nil, let former = socket else { return }
        do throws(RoomError) {
            _ = try await request(JanusRequest("keepalive"), "keepalive", endsWithAck: true, within: limit)
        } catch .noAnswer {
            // Others may have noticed meanwhile.
            if socket === former { await reconnect("the server did not answer within \(limit ?? self.limit)") }
        } catch .refused(_, let text) {
            finish(text)
        } catch {}
    }

    /// Leaves the room of a handle, unless there is no connection: the end of the session is enough then.
    func leave(_ handle: UInt64) async {
        guard socket != nil, end == nil else { return }
        var message = JanusRequest("message")
        (message.handle, message.body) = (handle, VideoRoomRequest("leave"))
        _ = try? await request(message, "leave", within: Self.checkLimit)
    }

    /// Ends the session on the server, and the connection.
    func close() {
        guard end == nil else { return }
        if number != nil { tell(JanusRequest("destroy")) }
        finish("closed")
    }

    // MARK: Connections

    private func read(_ socket: JanusSocket) {
        self.socket = socket
        for request in held { request.resume() }
        held = []
        reading = Task { [weak self, texts = socket.texts] in
            var reason = "the server closed the connection"
            do {
                for try await text in texts { await self?.receive(text) }
            } catch {
                reason = (error as? JanusSocket.Ended)?.text ?? "\(error)"
            }
            await self?.lose(socket, reason)
        }
    }

    private func lose(_ socket: JanusSocket, _ text: String) async {
        guard self.socket === socket else { return }
        await reconnect(text)
    }

    /// Makes another connection for the same session: a server forgets a session when its connection ends (unless it is configured not to), but it
    /// does not know yet that this machine has lost its address.
    private func reconnect(_ text: String) async {
        guard end == nil else { return }
        drop(text)
        guard number != nil else { return finish(text) }
        // The attempt that is under way fails, and the loop makes the next one.
        guard !isReconnecting else { return }
        isReconnecting = true
        defer { isReconnecting = false }
        let limit = ContinuousClock.now + Self.reclaimLimit
        while end == nil, ContinuousClock.now < limit {
            do throws(RoomError) {
                let next = try await open()
                guard end == nil else { return next.close() }
                read(next)
                _ = try await request(JanusRequest("claim"), "claim", within: limit - ContinuousClock.now)
                // It may have been lost since the answer came.
                if socket === next { return }
            } catch {
                guard Self.mayPass(error) else { return finish(text) }
                drop(text)
                try? await Task.sleep(for: Self.reclaimPause)
            }
        }
        finish(text)
    }

    private func drop(_ text: String) {
        socket?.close()
        socket = nil
        failAll(text)
    }

    /// Whether another attempt may find the session: the network may be down for a moment only.
    private static func mayPass(_ error: RoomError) -> Bool {
        switch error {
        case .unreachable(_, let reason): reason != "connection refused"
        case .lost, .noAnswer: true
        default: false
        }
    }

    // MARK: Requests

    /// What a server says that is no Janus.
    private static let nonsense = RoomError.refused(code: SignalingCode.malformed, text: "its answer makes no sense")

    /// JANUS_VIDEOROOM_ERROR_INVALID_ELEMENT: such as a number where the server has texts.
    static let wrongType = 430

    private static func error(_ code: Int, _ text: String, of body: VideoRoomRequest) -> RoomError {
        // The plugin's codes: JANUS_VIDEOROOM_ERROR_….
        switch code {
        case 426: .noSuchRoom(body.room?.description ?? "")
        case 428: .noSuchParticipant(body.id?.description ?? "")
        case 432: .full(text: text)
        case 429 where text.contains("(pin)"): .unauthorized(text: "the room has a PIN")
        case 433: .unauthorized(text: text)
        case 430 where text.contains("room"):
            .refused(
                code: code, text: "\(text); its rooms have \(body.room.map(\.isNumber) == true ? "names" : "numbers")")
        default: .refused(code: code, text: text)
        }
    }

    private func request(
        _ request: JanusRequest, _ name: String, endsWithAck: Bool = false, within limit: Duration? = nil
    ) async throws(RoomError) -> JanusMessage {
        while socket == nil, end == nil { await withCheckedContinuation { held.append($0) } }
        if let end { throw .lost(text: end) }
        let limit = min(limit ?? self.limit, self.limit)
        let transaction = nextTransaction()
        let answer = await withCheckedContinuation { answer in
            let deadline = Task { [weak self] in
                guard (try? await Task.sleep(for: limit)) != nil else { return }
                await self?.conclude(transaction, .failure(.noAnswer(request: name)))
            }
            waiting[transaction] = Waiting(endsWithAck: endsWithAck, deadline: deadline, answer: answer)
            send(request, transaction: transaction)
        }
        let message = try answer.get()
        guard let fault = message.error else { return message }
        // Janus' own codes: 403 token or secret.
        if fault.code == SignalingCode.forbidden { throw .unauthorized(text: fault.reason) }
        throw .refused(code: fault.code, text: fault.reason)
    }

    private func nextTransaction() -> String {
        requests += 1
        return "\(requests)"
    }

    private func send(_ request: JanusRequest, transaction: String) {
        var request = request
        (request.transaction, request.session) = (transaction, number)
        (request.token, request.apiSecret) = (credentials.token, credentials.apiSecret)
        // A request has only texts and numbers.
        guard let data = try? JSONEncoder().encode(request) else { return }
        socket?.send(String(decoding: data, as: UTF8.self))
    }

    private func conclude(_ transaction: String, _ result: Result<JanusMessage, RoomError>) {
        guard let waiting = waiting.removeValue(forKey: transaction) else { return }
        waiting.deadline.cancel()
        waiting.answer.resume(returning: result)
    }

    // MARK: In

    private func receive(_ text: String) {
        guard end == nil, SignalingLimits.isDecodable(text),
            let message = try? JSONDecoder().decode(JanusMessage.self, from: Data(text.utf8))
        else { return }
        if message.janus == "timeout" { return finish("the server has ended the session") }
        if let transaction = message.transaction, let request = waiting[transaction] {
            guard message.janus != "ack" || request.endsWithAck else { return }
            return conclude(transaction, .success(message))
        }
        guard message.sender != nil else { return }
        if case .dropped = inbox.yield(message) { finish("the server sends faster than this end reads") }
    }

    private func failAll(_ text: String) {
        for transaction in waiting.keys { conclude(transaction, .failure(.lost(text: text))) }
    }

    private func finish(_ text: String) {
        guard end == nil else { return }
        end = text
        keeping?.cancel()
        reading?.cancel()
        failAll(text)
        for request in held { request.resume() }
        held = []
        inbox.finish()
        socket?.close()
        socket = nil
    }
}

extension JanusID {
    fileprivate var isNumber: Bool { if case .number = self { true } else { false } }
}
