internal import Synchronization

/// The paths of a connection that another one has replaced.
///
/// Each receives for a while, for packets that are under way, and then signs off from its TURN servers. That takes some 10 s if a server does not answer,
/// and cannot be shortened (``NiceAgent/signOff()``). So a connection whose former paths do not end gets no further ones.
final class FormerIcePaths: Sendable {
    /// How long a former path still receives.
    static let overlap = Duration.seconds(3)
    /// The most that still receive; while so many sign off, no further path is made.
    ///
    /// Of more that receive the oldest closes earlier.
    static let maximum = 8

    private struct State {
        var receiving: [IcePath] = []
        var closing: [ObjectIdentifier: (path: IcePath, task: Task<Void, Never>)] = [:]
        var isOver = false
    }
    private let webrtc: WebRTCIce
    private let state = Mutex(State())

    init(_ webrtc: WebRTCIce) { self.webrtc = webrtc }

    /// Those that still receive.
    var receiving: [IcePath] { state.withLock { $0.receiving } }

    /// How many have not ended.
    var count: Int { state.withLock { $0.receiving.count + $0.closing.count } }

    /// Whether too many are signing off.
    var isFull: Bool { state.withLock { $0.closing.count >= Self.maximum } }

    /// Takes a path that works, which still receives.
    func add(_ path: IcePath) {
        let excess = state.withLock { state in
            guard !state.isOver else { return [path] }
            state.receiving.append(path)
            return state.receiving.dropLast(Self.maximum).map(\.self)
        }
        for path in excess { close(path) }
        IceThread.shared.run(after: Self.overlap) { [weak self] in
            // It may have been closed earlier.
            self?.state.withLock { if $0.receiving.contains(where: { $0 === path }) { self?.close(path, &$0) } }
        }
    }

    /// Signs off from the TURN servers of a path.
    func close(_ path: IcePath) { state.withLock { close(path, &$0) } }

    private func close(_ path: IcePath, _ state: inout State) {
        let key = ObjectIdentifier(path)
        state.receiving.removeAll { $0 === path }
        guard state.closing[key] == nil else { return }
        let task = Task { [weak self, webrtc] in
            await path.close(webrtc)
            self?.state.withLock { $0.closing[key] = nil }
        }
        state.closing[key] = (path, task)
    }

    /// Signs off from all TURN servers, and returns when that is done.
    ///
    /// What is added later is closed at once.
    func close() async {
        for path in end() { close(path) }
        for task in state.withLock({ $0.closing.values.map(\.task) }) { await task.value }
    }

    /// The paths that have not ended; what is added later is closed at once.
    func end() -> [IcePath] {
        state.withLock { state in
            state.isOver = true
            return state.receiving + state.closing.values.map(\.path)
        }
    }
}
