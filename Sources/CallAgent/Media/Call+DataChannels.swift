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
    ///   or the caller allows none, and ``CallError/media(_:)`` when the callee refused them, or for options that are out of range.
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
        guard await channel.waitUntilOpen() else { throw .noDataChannels }
        return channel
    }
}

/// The data channels that the peer opened; they wait for the accept.
final class CallDataChannels: Sendable {
    private struct State {
        var waiting: [DataChannel] = []
        var isAccepted = false
    }

    let opened: AsyncStream<DataChannel>
    private let sink: AsyncStream<DataChannel>.Continuation
    private let state = Mutex(State())

    init() {
        (opened, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(PeerConnection.maximumDataChannels))
    }

    func add(_ channel: DataChannel) {
        let isAccepted = state.withLock { state in
            if !state.isAccepted, state.waiting.count < PeerConnection.maximumDataChannels {
                state.waiting.append(channel)
            }
            return state.isAccepted
        }
        if isAccepted { sink.yield(channel) }
    }

    /// The call was accepted: the channels so far, and all later ones, go to the application.
    func accept() {
        let waiting = state.withLock { state in
            defer { (state.waiting, state.isAccepted) = ([], true) }
            return state.waiting
        }
        for channel in waiting { sink.yield(channel) }
    }

    func end() { sink.finish() }
}
