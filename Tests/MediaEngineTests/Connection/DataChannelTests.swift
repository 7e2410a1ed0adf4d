import Testing

@testable import MediaEngine

extension RealPipelines {
    @Suite("Data channels") struct DataChannelTests {
        private static var options: LoopbackCall.Options {
            var options = LoopbackCall.Options()
            options.kinds = [.audio]
            options.configure = { $0.allowsDataChannels = true }
            return options
        }

        /// A call with a data channel that is open at both ends.
        private func withChannel(
            _ channelOptions: DataChannelOptions = DataChannelOptions(),
            _ body: (LoopbackCall, _ caller: Talk, _ callee: Talk) async throws -> Void
        ) async throws {
            try await withCall(Self.options) { call in
                let mine = try await call.caller.peer.makeDataChannel("chat", options: channelOptions)
                try await call.connect()
                let isOpen = try await inTime("the channel opens") { await mine.waitUntilOpen() }
                #expect(isOpen)
                let theirs = try await call.callee.openedChannel()
                try await body(call, Talk(mine), Talk(theirs))
            }
        }

        @Test("Text and bytes of any length arrive whole and in order, both ways, next to the media")
        func messages() async throws {
            let sent: [DataChannel.Message] = [
                .text("hello"), .binary([7]), .text("æ°´ 🎈"), .binary([UInt8](repeating: 3, count: 1_200)),
                .binary((0..<DataChannel.maximumMessageBytes).map { UInt8(truncatingIfNeeded: $0) }),
                .text(String(repeating: "x", count: DataChannel.maximumMessageBytes)), .text("end"),
            ]
            try await withChannel { call, mine, theirs in
                #expect(theirs.channel.label == "chat" && theirs.channel.options == DataChannelOptions())
                for (from, to) in [(mine, theirs), (theirs, mine)] {
                    for message in sent {
                        switch message {
                        case .text(let text): try await from.channel.send(text)
                        case .binary(let bytes): try await from.channel.send(bytes)
                        }
                    }
                    try await eventually("all messages; so far \(to.heard.value.count)") {
                        to.heard.value.count >= sent.count
                    }
                    #expect(to.heard.value == sent)
                    try await eventually("nothing waits") { await from.channel.bufferedAmount == 0 }
                }
                for end in call.ends { try await end.waitForTone() }
            }
        }

        @Test("Empty messages arrive as empty messages")
        func empty() async throws {
            try await withChannel { _, mine, theirs in
                try await mine.channel.send("")
                try await mine.channel.send([UInt8]())
                try await mine.channel.send("end")
                try await eventually("all; so far \(theirs.heard.value)") { theirs.heard.value.count >= 3 }
                #expect(theirs.heard.value == [.text(""), .binary([]), .text("end")])
            }
        }

        @Test("SwappedEmptyMessage: empty messages have the protocol identifiers of RFC 8831")
        func emptyOnTheWire() async throws {
            try await withChannel { call, mine, theirs in
                let numbers = Shared<[UInt32]>([])
                let bin = try #require(await call.caller.peer.media?.pipeline.bin)
                try #require(bin.child(madeBy: "sctpenc")).pad("src").probe { buffer in
                    _ = buffer.reference.withBytes { bytes in numbers.update { $0 += protocolNumbers(inSCTP: bytes) } }
                    return .pass
                }
                try await mine.channel.send("")
                try await eventually("the text") { theirs.heard.value == [.text("")] }
                #expect(Set(numbers.value) == [56])
                try await mine.channel.send([UInt8]())
                try await eventually("the bytes") { theirs.heard.value == [.text(""), .binary([])] }
                #expect(Set(numbers.value) == [56, 57])
            }
        }

        @Test("The channel's options reach the peer")
        func channelOptions() async throws {
            var options = DataChannelOptions()
            options.isOrdered = false
            options.maxRetransmits = 0
            options.protocolName = "chat.v1"
            try await withChannel(options) { _, mine, theirs in
                #expect(theirs.channel.options == options && mine.channel.options == options)
                try await theirs.channel.send("unordered")
                try await eventually("the message") { mine.heard.value == [.text("unordered")] }
            }
        }

        @Test("Either end can close the channel, and the call continues", arguments: [true, false])
        func close(byCaller: Bool) async throws {
            try await withChannel { call, mine, theirs in
                let (closing, other) = byCaller ? (mine, theirs) : (theirs, mine)
                try await closing.channel.send("bye")
                try await eventually("the last word") { other.heard.value == [.text("bye")] }
                await closing.channel.close()
                for talk in [closing, other] {
                    try await eventually("the end of the messages") { talk.isOver.value }
                    try await eventually("closed") { await talk.channel.state == .closed }
                }
                #expect(other.heard.value == [.text("bye")])
                await #expect(throws: MediaError.self) { try await closing.channel.send("late") }
                for end in call.ends { try await end.waitForTone() }
            }
        }

        @Test("Either end can open further channels later")
        func later() async throws {
            try await withChannel { call, _, _ in
                let second = try await call.callee.peer.makeDataChannel("second")
                #expect(try await inTime("it opens") { await second.waitUntilOpen() })
                let talk = Talk(try await call.caller.openedChannel())
                try await second.send("again")
                try await eventually("the message") { talk.heard.value == [.text("again")] }
                #expect(talk.channel.label == "second")
            }
        }

        @Test("Closing a connection ends its channels at both ends, even while data is in flight")
        func teardown() async throws {
            for _ in 1...3 {
                var talks: [Talk] = []
                try await withChannel { _, mine, theirs in
                    talks = [mine, theirs]
                    for _ in 1...16 { try await mine.channel.send([UInt8](repeating: 1, count: 60_000)) }
                }
                for talk in talks {
                    try await eventually("its end") { talk.isOver.value }
                    #expect(await talk.channel.state == .closed)
                    await #expect(throws: MediaError.self) { try await talk.channel.send("late") }
                    await talk.channel.close()
                }
            }
        }

        @Test("Messages and options that are not allowed are refused")
        func refusals() async throws {
            try await withChannel { call, mine, _ in
                for (bytes, part) in [([UInt8](repeating: 0, count: 65_537), "65536 at most")] {
                    do throws(MediaError) {
                        try await mine.channel.send(bytes)
                        Issue.record("it was sent")
                    } catch {
                        #expect("\(error)".contains(part))
                    }
                }
                await #expect(throws: MediaError.self) { try await mine.channel.send("a\0b") }
                var both = DataChannelOptions()
                (both.maxRetransmits, both.maxPacketLifetimeMs) = (1, 1)
                await #expect(throws: MediaError.self) {
                    try await call.caller.peer.makeDataChannel("x", options: both)
                }
            }
        }

        @Test(
            "When the reader falls too far behind, the channel closes, and no earlier message is missing",
            arguments: [1, DataChannel.maximumMessageBytes])
        func slowReader(size: Int) async throws {
            let fitting = min(DataChannel.maximumUnreadMessages, DataChannel.maximumUnreadBytes / size)
            let messages = (0...fitting).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: size) }
            try await withCall(Self.options) { call in
                let mine = try await call.caller.peer.makeDataChannel("flood")
                try await call.connect()
                #expect(try await inTime("it opens") { await mine.waitUntilOpen() })
                let theirs = try await call.callee.openedChannel()
                for message in messages { try? await mine.send(message) }
                try await eventually("closed") { await mine.state == .closed }
                var heard: [DataChannel.Message] = []
                for await message in theirs.messages { heard.append(message) }
                #expect(heard == messages.dropLast().map { .binary($0) })
            }
        }

        @Test("A peer that does not allow data channels ends the channel, and the call connects")
        func refused() async throws {
            var options = Self.options
            options.configureCallee = { $0.allowsDataChannels = false }
            let answers = Shared<[String]>([])
            options.rewrite = { description in
                if description.kind == .answer { answers.update { $0.append(description.sdp) } }
                return description
            }
            try await withCall(options) { call in
                let mine = try await call.caller.peer.makeDataChannel("chat")
                let impatient = Task { await mine.waitUntilOpen() }
                impatient.cancel()
                #expect(try await inTime("the wait that is given up") { await impatient.value } == false)
                try await call.negotiate()
                let data = try await call.callee.dataPackets()
                for end in call.ends { try await end.wait(for: .verified) }
                #expect(try await inTime("the end") { await mine.waitUntilOpen() } == false)
                for end in call.ends { try await end.waitForTone() }
                #expect(data.value == 0)
                for end in call.ends {
                    await #expect(throws: MediaError.self) { try await end.peer.makeDataChannel("x") }
                }
            }
            #expect(answers.value.first?.contains("m=application 0 UDP/DTLS/SCTP webrtc-datachannel") == true)
        }

        @Test("A peer that sends data after a refusal does not disturb the call")
        func unawaited() async throws {
            var options = Self.options
            options.configureCallee = { $0.allowsDataChannels = false }
            options.rewrite = { $0.kind == .answer ? $0.acceptingData(mid: $0.dataMid ?? "") : $0 }
            try await withCall(options) { call in
                _ = try await call.caller.peer.makeDataChannel("chat")
                try await call.negotiate()
                let data = try await call.callee.dataPackets()
                for end in call.ends { try await end.wait(for: .verified) }
                try await eventually("data that nobody takes") { data.value > 0 }
                let before = try await call.callee.received(.audio).arrivals.count
                try await call.callee.wait("audio after it") {
                    ($0.received[.audio]?.arrivals.count ?? 0) > before + 50
                }
                for end in call.ends { try await end.waitForTone() }
                #expect(call.callee.failure == nil)
            }
        }

        @Test(
            "Either end opens its first channel on a connection that is up: the offer has an m-line for data if the caller allows it"
        )
        func firstChannelLater() async throws {
            try await withCall(Self.options) { call in
                try await call.connect()
                for (from, to) in [(call.caller, call.callee), (call.callee, call.caller)] {
                    let channel = try await from.peer.makeDataChannel("late")
                    #expect(await channel.waitUntilOpen())
                    try await channel.send("hello")
                    try await eventually("the peer's end of it") { to.dataChannels.contains { $0.label == "late" } }
                    var messages = try #require(to.dataChannels.first { $0.label == "late" }).messages
                        .makeAsyncIterator()
                    #expect(await messages.next() == .text("hello"))
                }
                #expect(
                    call.ends.allSatisfy { $0.dataChannels.map(\.label) == ["late"] }, "nobody hears of another one")
            }
        }

        @Test("If the caller allows no data, no channel can be made later")
        func none() async throws {
            var options = Self.options
            options.configure = { $0.allowsDataChannels = $0.label == "callee" }
            try await withCall(options) { call in
                try await call.connect()
                for end in call.ends {
                    await #expect(throws: MediaError.self) { try await end.peer.makeDataChannel("late") }
                }
            }
        }

        @Test("SharedAssociation: no two connections have the same number")
        func numbers() throws {
            let associations = (1...1_000).compactMap { _ in SharedAssociation() }
            #expect(Set(associations.map(\.number)).count == 1_000)
        }

        @Test("An m-line for data that is first in the offer is first in the answer")
        func order() async throws {
            let peer = try await TestEngine.peer(videoCodecs: [.vp8]) { $0.allowsDataChannels = true }
            let answer = try await peer.createAnswer(to: SessionDescription(kind: .offer, sdp: SDPSamples.safari))
            let lines = answer.sdp.components(of: "\r\n")
            let media = lines.filter { $0.hasPrefix("m=") }.map { $0.components(of: " ") }
            #expect(media.map { $0[0] } == ["m=application", "m=audio", "m=video", "m=video"])
            #expect(media.map { $0[1] } == ["9", "9", "9", "0"])
            let mids = lines.filter { $0.hasPrefix("a=mid:") }.map { String($0.dropFirst(6)) }
            #expect(lines.contains("a=group:BUNDLE \(mids.prefix(3).joined(separator: " "))"))
            await peer.close()
        }
    }
}

/// The payload protocol identifiers of an SCTP packet's DATA chunks (RFC 9260 section 3.3.1).
private func protocolNumbers(inSCTP packet: UnsafeRawBufferPointer) -> [UInt32] {
    var (numbers, place) = ([UInt32](), 12)
    while place + 16 <= packet.count {
        let length = Int(UInt16(bigEndian: packet.loadUnaligned(fromByteOffset: place + 2, as: UInt16.self)))
        if packet[place] == 0 {
            numbers.append(UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self)))
        }
        place += max(4, (length + 3) & ~3)
    }
    return numbers
}

/// A channel and the messages that it has received.
private final class Talk: Sendable {
    let channel: DataChannel
    let heard = Shared<[DataChannel.Message]>([])
    let isOver = Shared(false)

    init(_ channel: DataChannel) {
        self.channel = channel
        Task { [heard, isOver] in
            for await message in channel.messages { heard.update { $0.append(message) } }
            isOver.set(true)
        }
    }
}

extension CallEnd {
    /// The data channels that the peer has opened so far.
    fileprivate var dataChannels: [DataChannel] {
        events.compactMap { if case .dataChannel(let channel) = $0 { channel } else { nil } }
    }

    /// How many data packets arrive from now on, accepted or not.
    fileprivate func dataPackets() async throws -> Shared<Int> {
        let count = Shared(0)
        let decoder = try #require(await peer.media?.pipeline.bin.child(madeBy: "dtlssrtpdec"))
        try decoder.pad("data_src").probe { _ in
            count.update { $0 += 1 }
            return .pass
        }
        return count
    }

    /// The first channel that the other end has opened.
    fileprivate func openedChannel() async throws -> DataChannel {
        var channel: DataChannel?
        try await eventually("a channel of the peer's") {
            for case .dataChannel(let opened) in events { channel = opened }
            return channel != nil
        }
        return try #require(channel)
    }
}
