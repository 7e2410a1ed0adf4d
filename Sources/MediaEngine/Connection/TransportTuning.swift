internal import LocalNetwork

/// All settings of the transport.
///
/// The defaults are for real networks. Bundling is not among the settings: all media of a call always share one transport
/// (RFC 8843, max-bundle).
public struct TransportTuning: Sendable, Equatable {
    /// The addresses that ICE gathers candidates on; empty means all addresses of the machine except loopback.
    ///
    /// Chosen addresses stay when the network changes: ``PeerConnectionEvent/Kind/networkChanged`` is then never reported.
    public var localAddresses: [String] = []

    /// The network interfaces on whose addresses ICE gathers candidates, such as `eth0`; empty means all except loopback.
    ///
    /// When their addresses change, the path follows. Without effect on chosen ``localAddresses``.
    public var localInterfaces: [String] = []

    /// Whether ICE also gathers a candidate on 127.0.0.1, beside all other addresses of the machine; without effect on chosen ``localAddresses``
    /// and ``localInterfaces``.
    public var usesLoopback = false

    /// The range of local UDP ports; nil lets the system choose.
    ///
    /// Each connection takes one port for each address, so a narrow range bounds the number of calls.
    public var localPorts: ClosedRange<UInt16>?

    /// How long the gathering of local candidates may take, in ms; then it counts as over, even without a signal.
    ///
    /// libnice waits 3.9 s for a server over UDP and 7.9 s for one over TCP, and does not always signal the end.
    public var gatheringMs = 8_000

    /// The time between two connectivity checks, in ms: Ta of RFC 8445 section 14, which allows no less than 5.
    ///
    /// libnice's own default of 20 ms costs 40 ms per call on loopback.
    public var iceCheckPacingMs = 5

    /// Whether ICE also tries TCP candidates (RFC 6544).
    ///
    /// They take connectivity checks from the UDP candidates and are of little use.
    public var allowsIceTCP = false

    /// Whether libnice may ask the router to open ports by UPnP; off by default, since it sends multicast.
    public var allowsUPnP = false

    /// How long the jitter buffer waits for a late packet, in ms.
    ///
    /// For video it waits longer while lost packets are requested again; see ``retransmitsVideo``. Packets in order never wait.
    public var jitterBufferMs = 60

    /// Whether lost packets of video are requested from the peer (NACK, RFC 4585) and repeated for the peer (RFC 4588), if both ends can.
    public var retransmitsVideo = true

    /// Whether the first packet of a stream goes through the jitter buffer at once instead of waiting its full time.
    public var jitterBufferFastStart = true

    /// Whether the peer gets reports on the arrival of its packets (transport-wide congestion control), if it wants them.
    ///
    /// A browser estimates the bandwidth by them. Without them its video has 300 kbit/s at first, and needs a quarter of a minute for 1 Mbit/s.
    public var sendsTransportFeedback = true

    /// Whether the rate of the sent video follows the bandwidth of the path, which the peer's reports show, if it can send them.
    ///
    /// The rate never exceeds what the track or the peer's description allows. Without effect unless ``sendsTransportFeedback``: both ends negotiate the
    /// reports for both directions. Encoders with a fixed rate (`v4l2-h264`) keep it.
    public var followsBandwidth = true

    /// The bandwidth from which the RTCP intervals are computed (RFC 3550 section 6.2), in bit/s.
    ///
    /// A low value delays requests for key frames by 100-500 ms, and those for lost packets, of which a frame may need several.
    public var rtcpBandwidth = 4_000_000

    /// The shortest time between two regular RTCP packets, in ms; they show each end that the other is there when no media flows.
    public var rtcpMinIntervalMs = 500

    /// How often a key frame is requested until the first frame is decoded, in ms.
    public var keyFrameRequestIntervalMs = 250

    /// The shortest time between two key frames that the peer requests, in ms.
    ///
    /// Earlier requests are answered together, with one key frame, when the time is over; otherwise a hostile peer could force a key frame
    /// with each RTCP packet. Key frames for this end's own gates and recordings are made at once.
    public var keyFrameIntervalMs = 300

    /// How long the peer may be silent before the connection counts as interrupted, in ms.
    public var silenceMs = 2_000

    /// How long the peer may be silent before another path should be looked for, in ms; less than ``silenceMs``.
    ///
    /// It is less for media that has been regular: four times its longest gap of the last quarter of a minute, 300 ms at least.
    public var pathSilenceMs = 1_000

    /// How long the teardown of one peer connection may take, in ms, before it is abandoned and reported.
    public var teardownMs = 5_000

    /// What the chosen interfaces have of the network at this moment.
    var network: NetworkSnapshot { .now(of: localInterfaces) }

    /// The addresses that ICE gathers candidates on in a ``network`` that was read before.
    func addresses(in network: NetworkSnapshot) -> [String] {
        guard localAddresses.isEmpty else { return localAddresses }
        return (usesLoopback && localInterfaces.isEmpty ? ["127.0.0.1"] : []) + network.addresses
    }

    /// Makes the tuning for real networks.
    public init() {}

    /// The tuning for calls within one machine: candidates on 127.0.0.1 only.
    public static var loopback: TransportTuning {
        var tuning = TransportTuning()
        tuning.localAddresses = ["127.0.0.1"]
        return tuning
    }
}
