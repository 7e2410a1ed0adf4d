@testable import CallAgent

/// The media of one generation of one call at one agent: nothing but who is joined to whom, and which gates are open.
final class SimulatedMedia {
    let number: Int
    let agent: Int
    let call: SimulatedCall
    let generation: Int
    /// The other end, once a description of each has reached the other.
    weak var peer: SimulatedMedia?
    var gates = MediaGates()
    var isClosed = false
    var isVerified = false
    var isInterrupted = false
    var hasPicture = false
    var hasSound = false

    init(number: Int, agent: Int, call: SimulatedCall, generation: Int) {
        self.number = number
        self.agent = agent
        self.call = call
        self.generation = generation
    }

    /// Its description; the other end finds it by that.
    var sdp: String { "media-\(number)" }

    static func number(in sdp: String) -> Int? { Int(sdp.dropFirst("media-".count)) }
}
