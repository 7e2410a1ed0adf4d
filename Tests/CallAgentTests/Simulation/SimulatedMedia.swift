@testable import CallAgent

/// The media of one generation of one call at one agent: only its other end and its open gates.
final class SimulatedMedia {
    let number: Int
    let agent: Int
    let call: SimulatedCall
    let generation: Int
    /// The other end, once each end has the other's description.
    weak var peer: SimulatedMedia?
    var gates = MediaGates()
    var isClosed = false
    /// It failed at its agent: nothing passes it any more.
    var hasFailed = false
    /// Whether it can send and receive.
    var isUsable: Bool { !isClosed && !hasFailed }
    /// The network of its agent that its path was made for.
    var network: Int
    /// Another path, while it is looked for.
    var nextPath: NextPath?
    /// When its path broke, while it is broken.
    var brokenSince: Int?
    var isVerified = false
    var isInterrupted = false
    var hasVideoFrame = false
    var hasAudioSample = false

    struct NextPath {
        let restart: Int
        let network: Int
        var hasPeerParameters = false
    }

    init(number: Int, agent: Int, network: Int, call: SimulatedCall, generation: Int) {
        self.network = network
        self.number = number
        self.agent = agent
        self.call = call
        self.generation = generation
    }

    /// Its description.
    ///
    /// The other end finds this media by it.
    var sdp: String { "media-\(number)" }

    static func number(in sdp: String) -> Int? { Int(sdp.dropFirst("media-".count)) }
}
