import Testing

@testable import MediaEngine

/// A plain `webrtcbin`, without the engine's work-arounds.
final class RawPeer: Sendable {
    let pipeline: Pipeline
    let webrtc: Element
    /// The candidates from `on-ice-candidate`.
    let candidates = Shared<[String]>([])
    /// Packets that reached the application.
    let packets = Shared(0)
    private let sinks: [Pad]
    private let connections: [SignalConnection]

    /// Each of `media` is a launch line that ends in a payloader.
    init(_ media: String..., certificate: DtlsCertificate? = nil) throws {
        try GStreamerLibrary.initialize()
        let pipeline = try Pipeline(name: "raw", timeBase: .ownStart)
        let webrtc = try Element("webrtcbin")
        pipeline.bin.add(webrtc)
        let ice = try #require(webrtc.object("ice-agent"))
        try #require(ice.object("agent")).set("upnp", "false")
        ice.emit("add-local-ip-address", [.string("127.0.0.1")])
        sinks = try media.map {
            let source = try Element(launch: $0, description: "media")
            pipeline.bin.add(source)
            let sink = try webrtc.requestPad("sink_%u")
            try source.pad("src").link(to: sink)
            return sink
        }
        let (candidates, packets) = (candidates, packets)
        self.pipeline = pipeline
        self.webrtc = webrtc
        connections = [
            webrtc.connect("on-ice-candidate") { arguments in
                guard let text = arguments.string(2) else { return }
                candidates.update { $0.append(text) }
            },
            webrtc.connect("deep-element-added") { arguments in
                guard let certificate, let element = arguments.element(2), element.factoryName == "dtlssrtpdec" else {
                    return
                }
                try? element.set("pem", text: certificate.pem)
            },
            webrtc.connect("pad-added") { arguments in
                guard let pad = arguments.pad(1), pad.isSource else { return }
                pad.probe { _ in
                    packets.update { $0 += 1 }
                    return .drop
                }
            },
        ]
    }

    deinit { pipeline.stop() }

    /// Plays, and waits until webrtcbin knows what to offer.
    func start() async throws {
        try pipeline.bin.setState(.playing)
        try await eventually("the format of the media") { sinks.allSatisfy { $0.caps != nil } }
    }

    /// `GST_WEBRTC_PEER_CONNECTION_STATE_CONNECTED` is 2.
    var isConnected: Bool { webrtc.get("connection-state")?.intValue == 2 }

    /// `GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE` is 2.
    var hasGathered: Bool { webrtc.get("ice-gathering-state")?.intValue == 2 }

    func create(_ kind: SessionDescription.Kind) async throws -> SessionDescription {
        let name = kind == .offer ? "offer" : "answer"
        let reply = try await inTime("create-\(name)") { [webrtc] in
            try await awaitReply(to: name) { webrtc.emit("create-\(name)", [.emptyStructure, .promise($0)]) }
        }
        return SessionDescription(kind: kind, sdp: try #require(reply[name]?.stringValue))
    }

    func set(_ description: SessionDescription, _ side: String) async throws {
        let native = try NativeSessionDescription(description)
        _ = try await inTime("set-\(side)-description") { [webrtc] in
            try await awaitReply(to: side) {
                webrtc.emit("set-\(side)-description", [.description(native), .promise($0)])
            }
        }
    }

    /// Connects two peers; `rewrite` changes the descriptions on their way.
    static func negotiate(
        _ caller: RawPeer, _ callee: RawPeer, rewrite: (SessionDescription) -> SessionDescription = { $0 }
    ) async throws {
        for peer in [caller, callee] { try await peer.start() }
        let offer = try await caller.create(.offer)
        try await caller.set(offer, "local")
        try await callee.set(rewrite(offer), "remote")
        let answer = try await callee.create(.answer)
        try await callee.set(answer, "local")
        try await caller.set(rewrite(answer), "remote")
        for (from, to) in [(caller, callee), (callee, caller)] {
            try await eventually("all candidates") { from.hasGathered }
            for candidate in from.candidates.value {
                to.webrtc.emit("add-ice-candidate", [.uint(0), .string(candidate)])
            }
        }
    }

    static let opus = "audiotestsrc is-live=true ! opusenc ! rtpopuspay pt=111"
}
