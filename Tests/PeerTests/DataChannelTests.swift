import Foundation
import MediaEngine
import Testing

extension Peers {
    /// Data channels between a peer connection of this process and other implementations.
    @Suite struct DataChannelTests {
        @Test("aiortc accepts and opens data channels", arguments: [true, false])
        func aiortc(weOffer: Bool) async throws {
            let peer = try AiortcDataPeer()
            try await converse(with: peer, weOffer: weOffer)
            try await peer.close()
        }

        @Test("Browsers accept and open data channels", arguments: BrowserKind.allCases, [true, false])
        func browser(kind: BrowserKind, weOffer: Bool) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                try await converse(with: BrowserDataPeer(browser, page: server.page), weOffer: weOffer)
            }
        }

        @Test(
            "Neither invalid data channel messages nor an aborted association end the call, only the channel",
            arguments: ["garble", "abort"])
        func ended(by action: String) async throws {
            let peer = try AiortcDataPeer()
            try await withConnection { connection in
                let events = Heard(connection.events)
                let channel = try await connection.makeDataChannel("chat")
                let messages = Heard(channel.messages)
                try await negotiate(connection, peer, weOffer: true)
                try await eventually("it is open there, too") { try await peer.state(of: "chat") == "open" }
                _ = try await peer.ask(action, "chat")
                try await eventually("the end of the channel") { messages.isOver }
                if action == "abort" {
                    await #expect(throws: MediaError.self) { try await connection.makeDataChannel("another") }
                }
                try await hear(connection, packets: 50)
                #expect(failures(in: events).isEmpty)
            }
            try await peer.close()
        }

        @Test("A peer that writes to 1,000 streams causes a limited number of threads, and the call continues")
        func streams() async throws {
            let peer = try AiortcDataPeer()
            try await withConnection { connection in
                let events = Heard(connection.events)
                _ = try await connection.makeDataChannel("chat")
                try await negotiate(connection, peer, weOffer: true)
                try await eventually("it is open there, too") { try await peer.state(of: "chat") == "open" }
                func threads() throws -> Int {
                    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
                }
                let before = try threads()
                _ = try await peer.ask("flood", "chat")
                try await eventually("threads for some") { try threads() > before + 100 }
                try await hear(connection, packets: 100)
                #expect(try threads() < before + 400)
                #expect(failures(in: events).isEmpty)
            }
            try await peer.close()
        }

        private func failures(in events: Heard<PeerConnectionEvent>) -> [MediaError] {
            events.all.compactMap { if case .failed(let error) = $0.kind { error } else { nil } }
        }

        /// Waits until this many more packets of the peer have arrived.
        private func hear(_ connection: PeerConnection, packets: Int) async throws {
            func arrived() async -> Int { await connection.statistics().received[.audio]?.arrivals.count ?? 0 }
            let before = await arrived()
            try await eventually("audio of the peer") { await arrived() > before + packets }
        }

        /// Sends texts and bytes, also empty ones, and checks the echo; then the channel is closed.
        private func converse(with peer: any DataPeer, weOffer: Bool) async throws {
            try await withConnection { try await converse($0, peer, weOffer: weOffer) }
        }

        private func withConnection(_ body: (PeerConnection) async throws -> Void) async throws {
            let engine = try await Engine.start()
            var configuration = PeerConnectionConfiguration(
                label: "data", tracks: [.audio: TrackConfiguration(source: try engine.capture(AudioSource.tone()))])
            configuration.tuning = .loopback
            configuration.candidateDelivery = .inDescription(timeoutMs: 10_000)
            configuration.allowsDataChannels = true
            let connection = engine.makePeerConnection(configuration)
            do {
                try await body(connection)
            } catch {
                await connection.close()
                throw error
            }
            await connection.close()
        }

        private func converse(_ connection: PeerConnection, _ peer: any DataPeer, weOffer: Bool) async throws {
            let events = Heard(connection.events)
            // The offering end opens the first channel. The other end opens the second one on the same association.
            for (number, isOurs) in [weOffer, !weOffer].enumerated() {
                let label = "chat-\(number)"
                var channel = isOurs ? try await connection.makeDataChannel(label) : nil
                if !isOurs { try await peer.open(label) }
                if number == 0 { try await negotiate(connection, peer, weOffer: weOffer) }
                if !isOurs {
                    try await eventually("they open \(label)") {
                        for case .dataChannel(let opened) in events.all.map(\.kind) where opened.label == label {
                            channel = opened
                        }
                        return channel != nil
                    }
                }
                let talk = Talk(try #require(channel), with: peer)
                #expect(await talk.channel.waitUntilOpen())
                try await talk.exchange()
                try await talk.close(byUs: isOurs == weOffer)
            }
            #expect(failures(in: events).isEmpty)
        }

        private func negotiate(_ connection: PeerConnection, _ peer: any DataPeer, weOffer: Bool) async throws {
            if weOffer {
                try await connection.setAnswer(try await peer.answer(to: try await connection.createOffer()))
            } else {
                try await peer.take(try await connection.createAnswer(to: try await peer.offer()))
            }
        }
    }
}

/// The messages of one channel, and the peer that echoes them.
private struct Talk {
    let channel: DataChannel
    private let heard: Heard<DataChannel.Message>
    private let peer: any DataPeer

    init(_ channel: DataChannel, with peer: any DataPeer) {
        (self.channel, self.peer) = (channel, peer)
        heard = Heard(channel.messages)
    }

    func exchange() async throws {
        let sent: [DataChannel.Message] = [
            .text("hello"), .text(""), .binary([]), .text("æ°´ 🎈"), .binary([0, 1, 127, 128, 255]),
            .binary((0..<DataChannel.maximumMessageBytes).map { UInt8(truncatingIfNeeded: $0) }),
            .text(String(repeating: "x", count: 20_000)), .binary([]), .text(""), .text("end"),
        ]
        for message in sent {
            switch message {
            case .text(let text): try await channel.send(text)
            case .binary(let bytes): try await channel.send(bytes)
            }
        }
        try await eventually("all comes back on \(channel.label)") { heard.all.count >= sent.count }
        #expect(heard.all == sent)
        #expect(try await peer.heard(on: channel.label) == sent)
    }

    func close(byUs: Bool) async throws {
        if byUs { await channel.close() } else { try await peer.close(channel.label) }
        try await eventually("\(channel.label) is closed at the peer") {
            try await peer.state(of: channel.label) == "closed"
        }
        try await eventually("\(channel.label) is closed") {
            await channel.state == .closed
        }
        try await eventually("\(channel.label) has no more messages") { heard.isOver }
    }
}
