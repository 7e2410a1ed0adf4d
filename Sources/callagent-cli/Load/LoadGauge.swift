internal import CallAgent
internal import MediaEngine
internal import Synchronization

/// The ends of calls that a worker has now, and what they receive.
final class LoadGauge: Sendable {
    /// How often each end measures what it receives.
    static let interval: Duration = .seconds(1)

    private struct End {
        let role: CallRole
        var isConnected = false
        var received = LoadRates()
    }

    private let ends = Mutex<[ObjectIdentifier: End]>([:])
    /// How long the calls took that were connected since the last sample, in ms.
    private let setUps = Mutex<[Double]>([])
    private let fault = Mutex<Failure?>(nil)

    /// Why no more calls can be placed; nil while they can.
    var failure: Failure? { fault.withLock { $0 } }

    /// No more calls can be placed; the first reason counts.
    func fail(_ failure: Failure) { fault.withLock { $0 = $0 ?? failure } }

    /// Counts `call` until its events end.
    func follow(_ call: Call) -> Task<Void, Never> {
        let (events, key) = (call.events, ObjectIdentifier(call))
        ends.withLock { $0[key] = End(role: call.role) }
        return Task {
            for await event in events { note(event, key) }
            ends.withLock { $0[key] = nil }
        }
    }

    /// What happens at this moment, and what happened since the last sample.
    func sample(since start: ContinuousClock.Instant) -> LoadSample {
        let setUps = setUps.withLock { setUps in
            defer { setUps = [] }
            return setUps
        }
        let ends = ends.withLock { Array($0.values) }
        return LoadSample(
            ms: (ContinuousClock.now - start).inMilliseconds,
            connectedCalls: ends.count { $0.role == .caller && $0.isConnected }, ends: ends.count,
            received: ends.map(\.received).reduce(LoadRates(), +), setUps: setUps, usage: .current)
    }

    private func note(_ event: CallEvent, _ key: ObjectIdentifier) {
        ends.withLock { ends in
            switch event {
            case .stateChanged(let change): ends[key]?.isConnected = change.state == .connected
            case .reached(.connected, let milliseconds):
                if ends[key]?.role == .caller { setUps.withLock { $0.append(milliseconds) } }
            case .statistics(let statistics): ends[key]?.received = LoadRates(statistics.delta)
            default: break
            }
        }
    }
}

extension LoadRates {
    fileprivate init(_ delta: StatisticsDelta) {
        let video = delta.inbound.first { $0.kind == "video" }
        self.init(
            videos: video?.framesPerSecond == nil ? 0 : 1, framesPerSecond: video?.framesPerSecond ?? 0,
            packetsReceived: delta.inbound.reduce(0) { $0 + $1.packetsReceived },
            packetsLost: delta.inbound.reduce(0) { $0 + $1.packetsLost })
    }
}
