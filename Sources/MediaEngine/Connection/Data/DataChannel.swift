internal import Synchronization

/// A channel for the application's own messages, beside the media and under the same encryption (RFC 8831).
///
/// It ends with its connection at the latest. GStreamer's callbacks arrive on `webrtcbin`'s thread. Operations run on the connection's executor, so
/// none reaches a channel whose connection is gone.
public final class DataChannel: Sendable {
    /// A message, text or binary.
    public enum Message: Sendable, Equatable {
        /// Text.
        case text(String)
        /// Bytes.
        case binary([UInt8])

        var byteCount: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .binary(let bytes): bytes.count
            }
        }
    }

    /// The state of a channel, as in W3C's `RTCDataChannelState`.
    public enum State: Int, Sendable {
        /// Not open yet: the connection is not up.
        case connecting = 1
        /// Messages flow.
        case open
        /// One end has closed it.
        case closing
        /// The channel has ended.
        case closed
    }

    /// The longest message in bytes; the peer may allow less.
    public static let maximumMessageBytes = 65_536
    /// The most bytes that may wait to be sent.
    public static let maximumBufferedBytes = 4 << 20
    /// The most messages that may wait in ``messages``.
    ///
    /// A channel with more unread messages is closed: a reliable channel must not lose messages in the middle.
    public static let maximumUnreadMessages = 256
    /// The most bytes that may wait in ``messages``.
    public static let maximumUnreadBytes = 1 << 20

    private struct Life {
        var native: NativeDataChannel?
        var connections: [SignalConnection] = []
        var connection: PeerConnection?
        var isOpen = false
        var isOver = false
        var waiting: [AsyncStream<Void>.Continuation] = []
    }

    /// Its name, for the application; several channels may have the same.
    public let label: String
    /// Its delivery options.
    public let options: DataChannelOptions
    /// The received messages, in order, until the channel ends; for one consumer.
    public let messages: AsyncStream<Message>
    private let sink: AsyncStream<Message>.Continuation
    private let unread = UnreadBytes(limit: maximumUnreadBytes)
    private let life = Mutex(Life())

    init(label: String, options: DataChannelOptions) {
        (self.label, self.options) = (label, options)
        let (arrived, sink) = AsyncStream.makeStream(
            of: Message.self, bufferingPolicy: .bufferingOldest(Self.maximumUnreadMessages))
        self.sink = sink
        messages = AsyncStream { [unread] in
            var iterator = arrived.makeAsyncIterator()
            let message = await iterator.next()
            unread.withdraw(message?.byteCount ?? 0)
            return message
        }
    }

    /// Makes the channel that the peer has opened.
    convenience init(opened native: NativeDataChannel) {
        var options = DataChannelOptions()
        options.isOrdered = native.get("ordered")?.boolValue ?? true
        options.maxRetransmits = native.get("max-retransmits")?.intValue.flatMap { $0 < 0 ? nil : $0 }
        options.maxPacketLifetimeMs = native.get("max-packet-lifetime")?.intValue.flatMap { $0 < 0 ? nil : $0 }
        options.protocolName = native.get("protocol")?.stringValue ?? ""
        self.init(label: native.get("label")?.stringValue ?? "", options: options)
        attach(native)
        opened()
    }

    // MARK: For the application

    /// Waits until messages can be sent.
    ///
    /// - Returns: False when the channel, or the waiting task, ended first.
    public func waitUntilOpen() async -> Bool {
        let (opening, waiter) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        let known = life.withLock { life -> Bool? in
            if life.isOver || life.isOpen { return !life.isOver }
            life.waiting.append(waiter)
            return nil
        }
        if let known { return known }
        for await _ in opening { return true }
        return false
    }

    /// Sends text, which must not contain U+0000.
    ///
    /// - Throws: ``MediaError/rejected(operation:text:)`` when the channel is not open, the message is too long, or too many bytes already wait.
    public func send(_ text: String) async throws(MediaError) { try await connected().send(.text(text), on: self) }

    /// Sends bytes.
    ///
    /// - Throws: As for text.
    public func send(_ bytes: [UInt8]) async throws(MediaError) { try await connected().send(.binary(bytes), on: self) }

    /// The number of bytes that wait to be sent.
    public var bufferedAmount: Int { get async { await connection?.bufferedAmount(of: self) ?? 0 } }

    /// The state of the channel.
    public var state: State { get async { await connection?.state(of: self) ?? .closed } }

    /// Closes it at both ends, once.
    ///
    /// Messages sent just before may be lost: when the close arrives, GStreamer 1.22 drops what the receiving end has not read yet (`remove_pad` in
    /// `gstsctpdec.c`). If that matters, let the peer answer first.
    public func close() async { await connection?.close(self) }

    // MARK: For its connection

    /// Nil before the negotiation and after the end.
    var native: NativeDataChannel? { life.withLock { $0.native } }

    /// Whether the channel has ended, at least at this end.
    var isOver: Bool { life.withLock { $0.isOver } }

    private var connection: PeerConnection? { life.withLock { $0.connection } }

    private func connected() throws(MediaError) -> PeerConnection {
        guard let connection else { throw .rejected(operation: "sending", text: "the data channel is closed") }
        return connection
    }

    func adopt(by connection: PeerConnection) { life.withLock { if !$0.isOver { $0.connection = connection } } }

    /// Connects the signal handlers, on the thread that made the channel, so that no message is missed.
    func attach(_ native: NativeDataChannel) {
        let connections = [
            native.connect("on-open") { [weak self] _ in self?.opened() },
            native.connect("on-close") { [weak self] _ in self?.end() },
            native.connect("on-message-string") { [weak self] in
                // Text that begins with U+0000 arrives as "", an empty message as NULL.
                self?.receive($0.string(1).map { .text($0) } ?? SwappedEmptyMessage.swapped(.text("")))
            },
            native.connect("on-message-data") { [weak self] in
                self?.receive(SwappedEmptyMessage.swapped(.binary($0.bytes(1))))
            },
        ]
        life.withLock { life in
            guard !life.isOver else { return }
            (life.native, life.connections) = (native, connections)
        }
        // On an established connection it may already be open.
        if native.get("ready-state")?.intValue == State.open.rawValue { opened() }
    }

    private func opened() {
        let waiting = life.withLock { life in
            life.isOpen = true
            defer { life.waiting = [] }
            return life.waiting
        }
        for waiter in waiting { waiter.yield() }
    }

    private func receive(_ message: Message) {
        let size = message.byteCount
        if size <= Self.maximumMessageBytes, unread.deposit(size), case .enqueued = sink.yield(message) { return }
        sink.finish()
        native?.close()
    }

    /// Releases GStreamer's channel; no callback runs after it.
    func end() {
        let past = life.withLock { life in
            let past = life
            life = Life()
            life.isOver = true
            return past
        }
        sink.finish()
        for waiter in past.waiting { waiter.finish() }
    }
}

extension DataChannel: Equatable {
    /// Whether both are the same channel.
    public static func == (left: DataChannel, right: DataChannel) -> Bool { left === right }
}

/// The delivery options of a data channel (RFC 8831, RFC 8832).
public struct DataChannelOptions: Sendable, Equatable {
    /// Whether messages arrive in the order in which they were sent.
    public var isOrdered = true
    /// How often a lost message is retransmitted, 0 to 65535; nil means until it arrives.
    ///
    /// GStreamer 1.22 honours 0; with any other number it gives up later than requested.
    public var maxRetransmits: Int?
    /// For how long a lost message is retransmitted, in ms, 0 to 65535; not together with ``maxRetransmits``.
    public var maxPacketLifetimeMs: Int?
    /// The subprotocol of the channel, for the peer's application; at most 256 bytes.
    public var protocolName = ""
    /// The stream of a channel that only this end makes (RFC 8832 section 1); nil: the peer hears of it.
    var negotiatedId: Int?

    /// Ordered and reliable.
    public init() {}
}

extension DataChannelOptions {
    var isValid: Bool {
        let limits = [maxRetransmits, maxPacketLifetimeMs].compactMap { $0 }
        return limits.count < 2 && limits.allSatisfy { (0...65_535).contains($0) } && Self.isText(protocolName)
    }

    /// Names have a maximum length, and U+0000 would end them early.
    static func isText(_ text: String) -> Bool { text.utf8.count <= 256 && !text.utf8.contains(0) }
}

/// Counts the bytes that wait for a reader, up to a limit.
final class UnreadBytes: Sendable {
    private let count = Mutex(0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Adds to the count; false, without any effect, beyond the limit.
    func deposit(_ size: Int) -> Bool {
        count.withLock { count in
            guard count + size <= limit else { return false }
            count += size
            return true
        }
    }

    func withdraw(_ size: Int) { count.withLock { $0 -= size } }
}
