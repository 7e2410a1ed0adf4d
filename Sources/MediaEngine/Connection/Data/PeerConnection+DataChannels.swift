/// Data channels of a connection.
extension PeerConnection {
    /// The most data channels of a connection, including those of the peer; further channels of the peer are closed at once.
    public static let maximumDataChannels = 32

    /// Makes a data channel, which opens when the connection is up.
    ///
    /// The channel ends if the peer refuses data channels.
    /// - Throws: ``MediaError/rejected(operation:text:)`` when ``PeerConnectionConfiguration/allowsDataChannels`` is not set, when nothing was
    ///   negotiated for data, for options that exclude each other and for more than ``maximumDataChannels``.
    public func makeDataChannel(
        _ label: String, options: DataChannelOptions = DataChannelOptions()
    ) throws(MediaError) -> DataChannel {
        func refuse(_ text: String) -> MediaError { .rejected(operation: "makeDataChannel", text: text) }
        guard !isClosed else { throw .closed }
        guard configuration.allowsDataChannels else { throw refuse("the configuration does not allow data channels") }
        guard DataChannelOptions.isText(label), options.isValid else {
            throw refuse("a label or an option is out of range, or two limits exclude each other")
        }
        dataChannels.removeAll(where: \.isOver)
        guard knownChannels < Self.maximumDataChannels else {
            throw refuse("there are \(Self.maximumDataChannels) data channels already")
        }
        if hasData == false { throw refuse("the offer has no data channels, or the peer refused or ended them") }
        let channel = DataChannel(label: label, options: options)
        channel.adopt(by: self)
        if let media { try media.open(channel) }
        dataChannels.append(channel)
        return channel
    }

    /// The stream of the channel that gives an offer its m-line for data, above those that the two ends choose.
    private static let offeringStream = 126

    /// The channels that both ends know.
    private var knownChannels: Int { dataChannels.count { $0.options.negotiatedId == nil } }

    /// Has the offer include data channels: `webrtcbin` includes them only if there is a channel.
    ///
    /// The peer never hears of this one.
    func offerDataChannels() throws(MediaError) {
        guard configuration.allowsDataChannels, dataChannels.isEmpty else { return }
        var options = DataChannelOptions()
        options.negotiatedId = Self.offeringStream
        _ = try makeDataChannel("", options: options)
    }

    /// Opens the channels that were made before there was a pipeline; those that were made since are open.
    func openWaitingChannels(_ media: PeerMedia) throws(MediaError) {
        for channel in dataChannels where channel.native == nil { try media.open(channel) }
    }

    func send(_ message: DataChannel.Message, on channel: DataChannel) throws(MediaError) {
        guard !isClosed, let native = channel.native, state(of: channel) == .open else {
            throw .rejected(operation: "sending", text: "the data channel is not open")
        }
        let size =
            switch message {
            case .text(let text): text.utf8.count
            case .binary(let bytes): bytes.count
            }
        guard size <= DataChannel.maximumMessageBytes else {
            throw .rejected(operation: "sending", text: "\(size) bytes; \(DataChannel.maximumMessageBytes) at most")
        }
        guard bufferedAmount(of: channel) + size <= DataChannel.maximumBufferedBytes else {
            throw .rejected(
                operation: "sending", text: "more than \(DataChannel.maximumBufferedBytes) bytes would wait")
        }
        if case .text(let text) = message, text.utf8.contains(0) {
            throw .rejected(operation: "sending", text: "GStreamer's text ends at U+0000; send bytes")
        }
        try native.send(message)
    }

    func bufferedAmount(of channel: DataChannel) -> Int {
        guard !isClosed else { return 0 }
        return channel.native?.get("buffered-amount")?.intValue ?? 0
    }

    func state(of channel: DataChannel) -> DataChannel.State {
        guard !isClosed, dataChannels.contains(channel) else { return .closed }
        guard let native = channel.native else { return .connecting }
        return native.get("ready-state")?.intValue.flatMap(DataChannel.State.init) ?? .closed
    }

    func close(_ channel: DataChannel) {
        guard !isClosed else { return }
        guard let native = channel.native else {
            channel.end()
            return dataChannels.removeAll { $0 == channel }
        }
        native.close()
    }

    /// Accepts a channel of the peer; false if there are too many.
    func take(_ channel: DataChannel) -> Bool {
        dataChannels.removeAll(where: \.isOver)
        guard knownChannels < Self.maximumDataChannels else {
            channel.native?.close()
            channel.end()
            return false
        }
        channel.adopt(by: self)
        dataChannels.append(channel)
        return true
    }

    /// Ends all channels: GStreamer's channels must not be used once their `webrtcbin` is gone (``OrphanedDataChannel``).
    func endDataChannels() {
        for channel in dataChannels { channel.end() }
        dataChannels = []
    }
}
