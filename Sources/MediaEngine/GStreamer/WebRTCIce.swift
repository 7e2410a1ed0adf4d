internal import CGStreamer
internal import CWebRTCIce
internal import Synchronization

/// What `webrtcbin` asks of an ICE agent, on threads of its own.
protocol WebRTCIceActions: AnyObject, Sendable {
    /// Starts to gather candidates; called again with each local description.
    func gather()
    var isControlling: Bool { get }
    func setControlling(_ isControlling: Bool)
    /// Called with the first credentials again with each local description.
    func setLocalCredentials(_ fragment: String, _ password: String)
    func setRemoteCredentials(_ fragment: String, _ password: String)
    /// Adds a line `a=candidate:…` of the peer.
    func add(remoteCandidate line: String)
    func endRemoteCandidates()
    /// A packet of the DTLS handshake was sent.
    func noteSent(handshake packet: [UInt8])
    /// A packet of the DTLS handshake arrived; on the ``IceThread``.
    func noteReceived(handshake packet: [UInt8])
    /// The first media arrived; once, on the ``IceThread``.
    func noteReceivedMedia()
}

/// The object that makes `webrtcbin` use an ICE agent of the engine: its property `ice-agent`.
final class WebRTCIce: Sendable {
    /// The states that `webrtcbin` gets.
    enum ConnectionState: Sendable { case checking, connected, failed }

    fileprivate let object: GObjectRef<CGStreamer.GObject>
    private let actions: ActionsBox
    private var native: UnsafeMutableRawPointer { UnsafeMutableRawPointer(object.pointer) }

    init() {
        actions = ActionsBox()
        object = GObjectRef(owning: cice_new(Self.calls, Unmanaged.passRetained(actions).toOpaque()).cast())
    }

    /// Passes `webrtcbin`'s requests to `actions`, which is not kept alive; after its end they have no effect.
    func serve(_ actions: any WebRTCIceActions) { self.actions.actions = actions }

    /// The element that pushes received packets into `webrtcbin`.
    var source: Element { Element(ref: GObjectRef(borrowing: cice_source(native).cast())) }

    /// Sends all packets by way of an emulated network.
    func send(by way: NetworkEmulator) throws(MediaError) {
        let sink = Element(ref: GObjectRef(borrowing: cice_sink(native).cast()))
        try sink.pad("sink").probe { [weak self] passing in
            let buffer = passing.reference
            self?.noteSent(buffer)
            way.pass(passing.byteCount) { [weak self] isLost in if !isLost { self?.deliver(buffer) } }
            // Never the original: in a list of packets each one has its own fate.
            return .drop
        }
    }

    private func noteSent(_ buffer: BufferRef) { cice_note_sent(native, buffer.pointer) }

    private func deliver(_ buffer: BufferRef) { cice_deliver(native, buffer.pointer) }

    /// Sends through `agent` from now on, and takes the statistics of the transport from it.
    func send(through agent: NiceAgent) {
        cice_send_through(native, UnsafeMutableRawPointer(agent.object.ref.pointer), agent.stream)
    }

    /// Sends nothing more, and lets go of the agent; only on the ``IceThread``, see ``NiceAgent``.
    func stopSending() { cice_send_through(native, nil, 0) }

    /// Receives from `agent`, too; without that, libnice reads no packet for it.
    func receive(from agent: NiceAgent) {
        cice_receive_from(
            native, UnsafeMutableRawPointer(agent.object.ref.pointer), agent.stream,
            UnsafeMutableRawPointer(IceThread.shared.context))
    }

    /// Receives nothing more; only on the ``IceThread``.
    func stopReceiving(from agent: NiceAgent) {
        cice_stop_receiving(
            UnsafeMutableRawPointer(agent.object.ref.pointer), agent.stream,
            UnsafeMutableRawPointer(IceThread.shared.context))
    }

    /// The index of the m-line that the candidates belong to: the first one of the bundle.
    var mLine: Int { Int(cice_session(native)) }

    func report(_ state: ConnectionState) {
        let native =
            switch state {
            case .checking: GST_WEBRTC_ICE_CONNECTION_STATE_CHECKING
            case .connected: GST_WEBRTC_ICE_CONNECTION_STATE_CONNECTED
            case .failed: GST_WEBRTC_ICE_CONNECTION_STATE_FAILED
            }
        cice_report_connection(self.native, native.rawValue)
    }

    func reportGathering(isComplete: Bool) {
        let state =
            isComplete ? GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE : GST_WEBRTC_ICE_GATHERING_STATE_GATHERING
        cice_report_gathering(native, state.rawValue)
    }

    func reportSelectedPair() { cice_report_selected_pair(native) }

    private static let calls = CIceActions(
        gather: { actions(of: $0)?.gather() },
        set_controlling: { actions(of: $0)?.setControlling($1 != 0) },
        is_controlling: { actions(of: $0)?.isControlling == true ? 1 : 0 },
        set_local_credentials: { owner, fragment, password in
            guard let fragment, let password else { return }
            actions(of: owner)?.setLocalCredentials(String(cString: fragment), String(cString: password))
        },
        set_remote_credentials: { owner, fragment, password in
            guard let fragment, let password else { return }
            actions(of: owner)?.setRemoteCredentials(String(cString: fragment), String(cString: password))
        },
        add_remote_candidate: { owner, line in
            if let line {
                actions(of: owner)?.add(remoteCandidate: String(cString: line))
            } else {
                actions(of: owner)?.endRemoteCandidates()
            }
        },
        sent_handshake: { actions(of: $0)?.noteSent(handshake: packet($1, $2)) },
        received_handshake: { actions(of: $0)?.noteReceived(handshake: packet($1, $2)) },
        received_media: { actions(of: $0)?.noteReceivedMedia() },
        release: { if let owner = $0 { Unmanaged<ActionsBox>.fromOpaque(owner).release() } })

    private static func packet(_ bytes: UnsafeRawPointer?, _ length: UInt32) -> [UInt8] {
        [UInt8](UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(length)))
    }

    private static func actions(of owner: UnsafeMutableRawPointer?) -> (any WebRTCIceActions)? {
        owner.flatMap { Unmanaged<ActionsBox>.fromOpaque($0).takeUnretainedValue().actions }
    }
}

private final class ActionsBox: Sendable {
    private struct Weak {
        weak var actions: (any WebRTCIceActions)?
    }
    private let storage = Mutex(Weak())

    var actions: (any WebRTCIceActions)? {
        get { storage.withLock { $0.actions } }
        set { storage.withLock { $0.actions = newValue } }
    }
}

extension Element {
    /// Makes a `webrtcbin` with this ICE agent, which can be set only here.
    init(webrtcbin name: String, ice: WebRTCIce) throws(MediaError) {
        var value = GValue()
        g_value_init(&value, g_object_get_type())
        defer { g_value_unset(&value) }
        g_value_set_object(&value, ice.object.pointer)
        // webrtcbin takes no reference, but drops one at its end (1.22 to 1.28).
        g_object_ref(ice.object.pointer)
        let made = "ice-agent".withCString { property in
            var names: [UnsafePointer<CChar>?] = [property]
            return gst_element_factory_make_with_properties("webrtcbin", 1, &names, &value)
        }
        guard let made else {
            g_object_unref(ice.object.pointer)
            throw .pluginMissing(element: "webrtcbin")
        }
        gst_object_set_name(UnsafeMutableRawPointer(made).cast(), name)
        self.init(ref: GObjectRef(sinking: made))
    }
}
