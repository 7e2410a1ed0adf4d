internal import Foundation

/// What a worker of a load reports to the process that started it: one line of JSON on its standard output each.
enum LoadMessage: Codable {
    /// It is signed in and waits for the start.
    case ready
    /// What runs now; about once a second.
    case sample(LoadSample)
    /// A call has ended.
    case call(LoadedCall)
    /// It cannot go on.
    case failed(status: Int32, line: String)

    /// Nil if `line` is not such a message.
    init?(line: String) {
        guard let message = try? JSONDecoder().decode(LoadMessage.self, from: Data(line.utf8)) else { return nil }
        self = message
    }
}

/// A call of a load that has ended.
struct LoadedCall: Codable {
    let caller: CallDocument
    /// Nil if the callee is not an agent of this load, or if the call never reached it.
    let callee: CallDocument?
    /// Why it failed: the exit code and a line; nil if it succeeded.
    let failure: Problem?
    /// Which machine placed it, by the name of its device; nil: this one.
    var machine: String?

    struct Problem: Codable {
        let status: Int32
        let line: String

        init(_ failure: Failure) { (status, line) = (failure.status.rawValue, failure.line) }

        var failure: Failure { Failure(ExitStatus(rawValue: status) ?? .noMedia, line) }
    }
}

/// A worker at one moment.
struct LoadSample: Codable {
    /// Since the load began.
    let ms: Double
    /// Calls that are connected; with both ends here, a call counts once.
    let connectedCalls: Int
    /// Ends of calls at this worker that have not ended: of each call here one or two.
    let ends: Int
    /// The rates of the ends that report what they receive.
    let received: LoadRates
    /// How long each call took that was connected since the sample before, in ms.
    let setUps: [Double]
    let usage: ProcessUsage
}

/// What several ends receive.
struct LoadRates: Codable, Equatable {
    /// How many ends received video.
    var videos = 0
    /// Of all of them together, in frames a second.
    var framesPerSecond = 0.0
    var packetsReceived = 0
    var packetsLost = 0

    static func + (left: LoadRates, right: LoadRates) -> LoadRates {
        LoadRates(
            videos: left.videos + right.videos, framesPerSecond: left.framesPerSecond + right.framesPerSecond,
            packetsReceived: left.packetsReceived + right.packetsReceived,
            packetsLost: left.packetsLost + right.packetsLost)
    }

    /// Frames a second of one end, on average; nil without video.
    var meanFramesPerSecond: Double? { videos > 0 ? framesPerSecond / Double(videos) : nil }

    /// 0 to 100; nil while nothing arrives.
    var lossPercent: Double? {
        let all = packetsReceived + packetsLost
        return all > 0 ? Double(packetsLost) / Double(all) * 100 : nil
    }
}
