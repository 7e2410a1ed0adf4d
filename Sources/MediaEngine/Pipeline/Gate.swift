internal import Synchronization

/// Lets the buffers that arrive at a pad through, or holds them back.
///
/// A closed gate keeps the latest buffer, and opening lets that one through at once: nobody waits for the next. Runs on
/// the streaming thread, except for ``open()``, which runs the element behind the pad on its caller's.
final class Gate: Sendable {
    private let pad: Pad
    private let memory: GateMemory

    /// Builds a closed gate in front of the element that `pad`, a sink pad, belongs to.
    ///
    /// `onFirstPassed` is called once, on the thread that passes the first buffer.
    init(at pad: Pad, onFirstPassed: @escaping @Sendable (ContinuousClock.Instant) -> Void) {
        let memory = GateMemory(onFirstPassed: onFirstPassed)
        self.pad = pad
        self.memory = memory
        // The probe belongs to the pad, so it must not own it: it knows the memory only.
        pad.probe { memory.judge($0) }
    }

    /// How many buffers have gone through.
    var passed: Int { memory.state.withLock { $0.passed } }

    var isOpen: Bool { memory.state.withLock { $0.isOpen } }

    /// Lets the latest buffer and all later ones through, if that is still wanted when it is this one's turn.
    ///
    /// Who changes the answer of `isWanted` and then calls ``close()`` can be sure that the gate is shut after it.
    /// - Returns: How many had gone through before.
    @discardableResult
    func open(if isWanted: () -> Bool = { true }) -> Int {
        // The stream lock keeps the streaming thread out until the latest buffer is through, so that the order holds.
        pad.withStreamLock {
            let (passed, latest) = memory.state.withLock { state in
                guard isWanted() else { return (state.passed, nil as BufferRef?) }
                state.isOpen = true
                return (state.passed, state.latest.take())
            }
            if let latest { pad.chain(latest) }
            return passed
        }
    }

    /// Holds everything back from now on, and remembers the latest of it unless it is not to.
    func close(keepingLatest: Bool = true) {
        memory.state.withLock { state in
            state.isOpen = false
            state.keepsLatest = keepingLatest
            if !keepingLatest { state.latest = nil }
        }
    }

    /// Forgets the latest buffer, so that opening waits for a new one.
    func forget() { memory.state.withLock { $0.latest = nil } }
}

/// What a gate and its probe share.
private final class GateMemory: Sendable {
    struct State {
        var isOpen = false
        var keepsLatest = true
        var latest: BufferRef?
        var passed = 0
    }

    let state = Mutex(State())
    private let onFirstPassed: @Sendable (ContinuousClock.Instant) -> Void

    init(onFirstPassed: @escaping @Sendable (ContinuousClock.Instant) -> Void) { self.onFirstPassed = onFirstPassed }

    func judge(_ buffer: BufferRef) -> ProbeVerdict {
        let passed: Int? = state.withLock { state in
            guard state.isOpen else {
                if state.keepsLatest { state.latest = buffer }
                return nil
            }
            state.passed += 1
            return state.passed
        }
        guard let passed else { return .drop }
        if passed == 1 { onFirstPassed(.now) }
        return .pass
    }
}
