/// Every knob of the transport in one place.
///
/// The defaults are for real networks. Bundling is not among them: all media of a call share one transport (RFC 8843,
/// max-bundle), always.
public struct TransportTuning: Sendable, Equatable {
    /// The addresses that ICE gathers candidates on; empty means all that the machine has, loopback excepted.
    ///
    /// With loopback alone up, libnice finds no address by itself, so tests name 127.0.0.1 here.
    public var localAddresses: [String] = []

    /// The UDP ports that are used on this machine; nil lets the system choose.
    ///
    /// Each connection takes one port for each address, so a narrow range bounds the number of calls.
    public var localPorts: ClosedRange<UInt16>?

    /// After how long the search for this end's candidates counts as over though nobody said so, in ms.
    ///
    /// libnice gives a server over UDP 2 s, one over TCP 7.9 s, and does not always tell the end.
    public var gatheringMs = 8_000

    /// The time between two connectivity checks, in ms: Ta of RFC 8445 section 14, which allows no less than 5.
    ///
    /// libnice's own default of 20 ms costs 40 ms per call on loopback.
    public var iceCheckPacingMs = 5

    /// Whether ICE also tries TCP candidates (RFC 6544).
    ///
    /// They take checks from the UDP ones and are of little use.
    public var allowsIceTCP = false

    /// Whether libnice may ask the router to open ports by UPnP: it sends multicast, so not by default.
    public var allowsUPnP = false

    /// How long the jitter buffer holds packets for those that come late or again, in ms.
    public var jitterBufferMs = 60

    /// Whether the first packet of a stream goes through the jitter buffer at once instead of waiting its full time.
    public var jitterBufferFastStart = true

    /// The bandwidth from which the RTCP intervals are computed (RFC 3550 section 6.2), in bit/s.
    ///
    /// A low one delays requests for key frames by 100-500 ms.
    public var rtcpBandwidth = 1_000_000

    /// The shortest time between two regular RTCP packets, in ms; keeps both ends audible to each other when no media flows.
    public var rtcpMinIntervalMs = 500

    /// How often a key frame is requested until the first picture is decoded, in ms.
    public var keyFrameRequestIntervalMs = 250

    /// The shortest time between two key frames that are made because the peer asks for them, in ms.
    ///
    /// A request that comes earlier is answered when the time is over, once for all that came; a hostile peer would otherwise have a key frame made for
    /// each packet of RTCP. What this end's own gates and recordings need is made at once.
    public var keyFrameIntervalMs = 300

    /// After how much silence of the peer the connection counts as interrupted, in ms.
    public var silenceMs = 2_000

    /// How long the teardown of one peer connection may take, in ms, before it is abandoned and reported.
    public var teardownMs = 5_000

    /// Makes the tuning for real networks.
    public init() {}

    /// The tuning for calls within one machine: candidates on 127.0.0.1 only.
    public static var loopback: TransportTuning {
        var tuning = TransportTuning()
        tuning.localAddresses = ["127.0.0.1"]
        return tuning
    }
}
