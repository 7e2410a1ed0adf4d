internal import CallProtocol
public import MediaEngine
internal import Synchronization

/// Data channels of a call (RFC 8831), for messages of the application that bypass the signaling.
extension Call {
    /// The data channels that the peer opens, from the accept on; for one consumer.
    ///
    /// Channels that the peer opens while it rings wait for the accept, and so do their messages. At most 32 channels wait. Ends with the
    /// call. There are none unless both ends have ``MediaConfiguration/allowsDataChannels``.
    public nonisolated var dataChannels: AsyncStream<DataChannel> { channels.opened }

    /// Opens a data channel; returns when messages can be sent.
    ///
    /// No other connection is needed: calls have data channels from the beginning or not at all. A channel goes on when the network changes. It
    /// ends when the call gets another connection, with ``changeMedia(to:)``.
    /// - Throws: ``CallError/wrongState(operation:state:)`` before the accept and after the end, ``CallError/noDataChannels`` when this end
    ///   or the caller allows none, or when the waiting task was cancelled, ``CallError/ended(_:)`` when the call ended meanwhile, and
    ///   ``CallError/media(_:)`` when the callee refused data channels, or for options that are out of range.
    public func openDataChannel(
        _ label: String, options: DataChannelOptions = DataChannelOptions()
    ) async throws(CallError) -> DataChannel {
        guard machine.phase == .accepted, let generation = generations[machine.shown.number] else {
            throw .wrongState(operation: "a data channel", state: "the \(role) of a call that is \(machine.stateText)")
        }
        guard media.data else { throw .noDataChannels }
        let channel: DataChannel
        do throws(MediaSessionError) {
            channel = try await generation.openDataChannel(label, options: options)
        } catch {
            throw .media(error)
        }
        guard await channel.waitUntilOpen() else {
            await channel.close()
            if let end = machine.end { throw .ended(end) }
            throw .noDataChannels
        }
        return channel
    }
}

/// The data channels that the peer opened; they wait for the accept.
final class CallDataChannels: Sendable {
    private struct State {
        var waiting: [(channel: DataChannel, generation: Int)] = []
        var isAccepted = false
    }

    let opened: AsyncStream<DataChannel>
    private let sink: AsyncStream<DataChannel>.Continuation
    private let state = Mutex(State())

    init() {
        (opened, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(PeerConnection.maximumDataChannels))
    }

    func add(_ channel: DataChannel, of generation: Int) {
        let isAccepted = state.withLock { state in
            // A connection has a limited number of channels.
            if !state.isAccepted { state.waiting.append((channel, generation)) }
            return state.isAccepted
        }
        if isAccepted { pass(channel) }
    }

    /// Forgets the channels of a connection that was replaced before the accept: another device has the call.
    func forget(_ generation: Int) { state.withLock { $0.waiting.removeAll { $0.generation == generation } } }

    /// Closes a channel that nobody takes, rather than to leave it open and unread.
    private func pass(_ channel: DataChannel) {
        switch sink.yield(channel) {
        case .enqueued: break
        default: Task { await channel.close() }
        }
    }

    /// The call was accepted: the channels so far, and all later ones, go to the application.
    func accept() {
        let waiting = state.withLock { state in
            defer { (state.waiting, state.isAccepted) = ([], true) }
            return state.waiting
        }
        for (channel, _) in waiting { pass(channel) }
    }

    func end() { sink.finish() }
}
