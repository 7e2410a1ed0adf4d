internal import CMosquitto
internal import CallProtocol
internal import Foundation
internal import Synchronization

/// One connection to a broker, from the attempt until its end: it does not connect again.
///
/// libmosquitto does its work on a thread of this connection. That thread waits with poll(): the library's own loop uses select(), which cannot wait
/// for files above number 1,023, and a process with hundreds of calls has more.
final class BrokerConnection: Sendable {
    /// A message that was published to a topic.
    struct Message: Sendable {
        var topic: String
        var text: String
        /// It was published before this client subscribed.
        var isRetained: Bool
    }

    /// How many bytes of messages wait for the session; further messages are lost, and their senders repeat them.
    private static let maximumWaiting = 16_777_216
    /// How many requests may wait for the broker's acknowledgement; further ones are refused.
    private static let maximumPending = 16_384
    /// What a message that waits costs beside its text.
    private static let messageCost = 512

    /// How a request ended: the reason code of its acknowledgement, or nil when the connection ended before.
    typealias Outcome = @Sendable (_ reason: Int32?) -> Void

    /// The messages, in order, until the connection ends; for one consumer.
    let messages: AsyncStream<Message>
    private let settings: BrokerSettings
    private let inbox: AsyncStream<Message>.Continuation
    private let wake: Int32
    private let client = Mutex(Client())
    private let state = Mutex(State())

    /// The library's client; every use from another thread than its own happens under the lock.
    ///
    /// Unchecked: the library is thread-safe after `mosquitto_threaded_set`, except for its end, which the lock orders.
    private struct Client: @unchecked Sendable {
        var handle: OpaquePointer?
    }

    private struct State {
        /// Set when the connection has ended.
        var failure: BrokerFailure?
        /// Who waits for the CONNACK.
        var opened: Outcome?
        var pending: [Int32: Outcome] = [:]
        /// Acknowledgements that came before their request was noted.
        var early: [Int32: Int32] = [:]
        /// Whether the broker knows shared subscriptions.
        var sharesSubscriptions = false
        var lastError: String?
        var waitingBytes = 0
        /// How many callbacks there were.
        var callbacks = 0
    }

    init(_ settings: BrokerSettings) {
        MosquittoLibrary.start()
        self.settings = settings
        (messages, inbox) = AsyncStream.makeStream()
        wake = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    }

    deinit { if wake >= 0 { Glibc.close(wake) } }

    /// Why the connection ended; nil before that.
    var failure: BrokerFailure? { state.withLock { $0.failure } }

    /// Whether the broker gives each message of a shared subscription to one of its clients (MQTT 5 section 4.8.2).
    var sharesSubscriptions: Bool { state.withLock { $0.sharesSubscriptions } }

    // MARK: Requests

    /// Connects, and returns when the broker has accepted the client.
    func open() async throws(BrokerFailure) {
        if let file = settings.tls?.unreadableFile { throw .unreachable(text: "the file \(file) cannot be read") }
        let reason: Int32? = await withCheckedContinuation { continuation in
            state.withLock { $0.opened = { continuation.resume(returning: $0) } }
            let thread = Thread { self.run() }
            thread.start()
        }
        guard let reason else { throw failure ?? .closed }
        guard reason == 0 else {
            abandon(.closed)
            throw BrokerFailure(connect: reason, version: settings.version)
        }
    }

    /// Subscribes to these topics with QoS 1; `outcome` gets the highest reason code (0x80 and above: refused).
    func subscribe(_ filters: [String], _ outcome: @escaping Outcome) {
        request(outcome) { client, number in
            let copies = filters.map { strdup($0) }
            defer { for copy in copies { free(copy) } }
            return copies.withUnsafeBufferPointer {
                mosquitto_subscribe_multiple(client, &number, Int32($0.count), $0.baseAddress, 1, 0, nil)
            }
        }
    }

    /// Subscribes, and returns the highest reason code, or nil when the connection ended.
    func subscribe(_ filters: [String]) async -> Int32? {
        await withCheckedContinuation { continuation in subscribe(filters) { continuation.resume(returning: $0) } }
    }

    /// Ends a subscription, without waiting for the acknowledgement.
    func unsubscribe(_ filter: String) {
        request({ _ in }) { client, number in mosquitto_unsubscribe(client, &number, filter) }
    }

    /// Publishes with QoS 1, after the messages of earlier calls; `expirySeconds` needs MQTT 5.
    func publish(
        _ text: String, to topic: String, isRetained: Bool = false, expirySeconds: UInt32? = nil,
        _ outcome: @escaping Outcome
    ) {
        request(outcome) { client, number in
            var properties: OpaquePointer?
            defer { mosquitto_property_free_all(&properties) }
            if let expirySeconds, settings.version == .v5 {
                mosquitto_property_add_int32(
                    &properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), expirySeconds)
            }
            let bytes = Array(text.utf8)
            return mosquitto_publish_v5(client, &number, topic, Int32(bytes.count), bytes, 1, isRetained, properties)
        }
    }

    /// Publishes, and returns the reason code of the acknowledgement.
    func publish(
        _ text: String, to topic: String, isRetained: Bool = false, expirySeconds: UInt32? = nil
    ) async -> Int32? {
        await withCheckedContinuation { continuation in
            publish(text, to: topic, isRetained: isRetained, expirySeconds: expirySeconds) {
                continuation.resume(returning: $0)
            }
        }
    }

    /// Disconnects in order: the broker does not publish the last will.
    func close() {
        client.withLock { if let handle = $0.handle { mosquitto_disconnect(handle) } }
        wakeUp()
    }

    /// Gives the connection up at once; the broker publishes the last will.
    func abandon(_ failure: BrokerFailure) {
        end(failure)
        wakeUp()
    }

    /// Gives the connection up after this time, unless the task is cancelled.
    func deadline(_ limit: Duration, _ failure: BrokerFailure) -> Task<Void, Never> {
        Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            abandon(failure)
        }
    }

    /// The session has done its work on this message.
    func took(_ message: Message) { state.withLock { $0.waitingBytes -= message.text.utf8.count + Self.messageCost } }

    private func request(_ outcome: @escaping Outcome, _ body: (OpaquePointer, inout Int32) -> Int32) {
        // Quota exceeded (MQTT 5 section 2.4).
        guard state.withLock({ $0.pending.count < Self.maximumPending }) else { return outcome(0x97) }
        var number: Int32 = 0
        let result = client.withLock { $0.handle.map { body($0, &number) } ?? Int32(MOSQ_ERR_NO_CONN.rawValue) }
        guard result == Int32(MOSQ_ERR_SUCCESS.rawValue) else {
            return outcome(result == Int32(MOSQ_ERR_NO_CONN.rawValue) ? nil : 0x80)
        }
        let known: Int32?? = state.withLock { state in
            if state.failure != nil { return .some(nil) }
            if let reason = state.early.removeValue(forKey: number) { return .some(reason) }
            state.pending[number] = outcome
            return nil
        }
        if let known { outcome(known) }
        wakeUp()
    }

    private func wakeUp() {
        var one: UInt64 = 1
        _ = write(wake, &one, 8)
    }

    // MARK: The thread

    private func run() {
        Thread.current.name = "mqtt \(settings.port)"
        var step = start()
        if step.result == 0, let handle = client.withLock({ $0 }).handle {
            let socket = BrokerSocket(handle: handle, wake: wake, isSecure: settings.tls != nil)
            while step.result == 0, failure == nil { step = socket.step { state.withLock { $0.callbacks } } }
        }
        let detail = state.withLock { $0.lastError }
        end(BrokerFailure(result: step.result, socketError: step.socketError, detail: detail))
        let handle = client.withLock { $0.handle.take() }
        mosquitto_destroy(handle)
    }

    /// Begins to connect; resolves the name, which may take its time.
    private func start() -> BrokerSocket.Step {
        let handle = mosquitto_new(settings.clientID, true, Unmanaged.passUnretained(self).toOpaque())
        guard let handle, wake >= 0 else { return .init(Int32(MOSQ_ERR_NOMEM.rawValue)) }
        client.withLock { $0.handle = handle }
        mosquitto_threaded_set(handle, true)
        mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, settings.version.number)
        mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
        mosquitto_username_pw_set(handle, settings.username, settings.password)
        mosquitto_will_set(handle, settings.willTopic, 0, nil, 1, true)
        setCallbacks(handle)
        if let tls = settings.tls {
            mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1)
            // It wants one of file and folder, also when the system's are used.
            let result = mosquitto_tls_set(
                handle, tls.trustRootsFile, "/etc/ssl/certs", tls.certificateFile, tls.keyFile,
                // Without this, OpenSSL would ask on the terminal for the password of a key.
                { _, _, _, _ in 0 })
            guard result == 0 else { return .init(result) }
        }
        errno = 0
        return .init(
            mosquitto_connect_bind_async(
                handle, settings.host, Int32(settings.port), Int32(settings.keepAliveSeconds), nil))
    }

    /// Everybody who waits learns it, and nothing follows.
    private func end(_ failure: BrokerFailure) {
        let waiting: [Outcome]? = state.withLock { state in
            guard state.failure == nil else { return nil }
            state.failure = failure
            let waiting = [state.opened].compactMap { $0 } + state.pending.values
            (state.opened, state.pending, state.early) = (nil, [:], [:])
            return waiting
        }
        guard let waiting else { return }
        inbox.finish()
        for outcome in waiting { outcome(nil) }
    }

    // MARK: Callbacks of the library, on its thread

    private func setCallbacks(_ handle: OpaquePointer) {
        mosquitto_connect_v5_callback_set(handle) { _, object, reason, _, properties in
            let connection = BrokerConnection.from(object)
            // A broker that does not say is one that has them.
            var isAvailable: UInt8 = 1
            mosquitto_property_read_byte(
                properties, Int32(MQTT_PROP_SHARED_SUB_AVAILABLE.rawValue), &isAvailable, false)
            let opened = connection.state.withLock { state in
                state.sharesSubscriptions = connection.settings.version == .v5 && isAvailable == 1
                return state.opened.take()
            }
            opened?(reason)
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, object, reason, _ in
            // The broker says why (MQTT 5).
            guard reason >= 0x80, let text = mosquitto_reason_string(reason) else { return }
            BrokerConnection.from(object).abandon(
                .unreachable(text: "the broker disconnected: \(String(cString: text))"))
        }
        mosquitto_publish_v5_callback_set(handle) { _, object, number, reason, _ in
            BrokerConnection.from(object).acknowledged(number, reason)
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, object, number, count, granted, _ in
            let reasons = UnsafeBufferPointer(start: granted, count: Int(count))
            BrokerConnection.from(object).acknowledged(number, reasons.max() ?? 0)
        }
        mosquitto_unsubscribe_callback_set(handle) { _, object, number in
            BrokerConnection.from(object).acknowledged(number, 0)
        }
        mosquitto_message_v5_callback_set(handle) { _, object, message, _ in
            guard let message = message?.pointee, let topic = message.topic else { return }
            BrokerConnection.from(object).take(
                topic, UnsafeRawBufferPointer(start: message.payload, count: Int(max(message.payloadlen, 0))),
                isRetained: message.retain)
        }
        mosquitto_log_callback_set(handle) { _, object, level, text in
            guard level == MOSQ_LOG_ERR, let text else { return }
            let line = String(cString: text)
            BrokerConnection.from(object).state.withLock { $0.lastError = line }
        }
    }

    /// Drops what is no message of this protocol: too long, or no UTF-8.
    private func take(_ topic: UnsafePointer<CChar>, _ bytes: UnsafeRawBufferPointer, isRetained: Bool) {
        state.withLock { $0.callbacks += 1 }
        guard bytes.count <= SignalingLimits.messageBytes, let text = String(validating: bytes, as: UTF8.self) else {
            return
        }
        let hasRoom = state.withLock { state in
            guard state.waitingBytes < Self.maximumWaiting else { return false }
            state.waitingBytes += bytes.count + Self.messageCost
            return true
        }
        guard hasRoom else { return }
        inbox.yield(Message(topic: String(cString: topic), text: text, isRetained: isRetained))
    }

    private func acknowledged(_ number: Int32, _ reason: Int32) {
        let outcome: Outcome? = state.withLock { state in
            state.callbacks += 1
            guard state.failure == nil else { return nil }
            guard let outcome = state.pending.removeValue(forKey: number) else {
                state.early[number] = reason
                return nil
            }
            return outcome
        }
        outcome?(reason)
    }

    private static func from(_ object: UnsafeMutableRawPointer?) -> BrokerConnection {
        // The thread that calls back keeps the connection alive; the pointer is the one given to mosquitto_new.
        Unmanaged<BrokerConnection>.fromOpaque(object!).takeUnretainedValue()
    }
}

/// The library's state for the whole process.
private enum MosquittoLibrary {
    private static let started: Int32 = mosquitto_lib_init()

    static func start() { _ = started }
}
