internal import Synchronization

/// Passes the buffers that arrive at a pad, or holds them back.
///
/// A closed gate keeps the latest buffer, and opening passes it at once instead of waiting for the next one. Runs on the streaming thread, except
/// ``open()``, which runs the element behind the pad on the caller's thread.
final class Gate: Sendable {
    private let pad: Pad
    private let memory: GateMemory

    /// Builds a closed gate in front of the element of `pad`, a sink pad.
    ///
    /// `onFirstPassed` is called once, on the thread that passes the first buffer.
    init(at pad: Pad, onFirstPassed: @escaping @Sendable (ContinuousClock.Instant) -> Void) {
        let memory = GateMemory(onFirstPassed: onFirstPassed)
        self.pad = pad
        self.memory = memory
        // The probe belongs to the pad, so it must not own the pad: it captures only the memory.
        pad.probe { memory.judge($0) }
        // A frame of the old size would be read with the new size: GStreamer 1.22's vp8enc crashes.
        pad.onEvent { if case .caps = $0 { memory.state.withLock { $0.latest = nil } } }
    }

    /// The number of buffers that have passed.
    var passed: Int { memory.state.withLock { $0.passed } }

    var isOpen: Bool { memory.state.withLock { $0.isOpen } }

    /// Passes the latest buffer and all later ones, if `isWanted` still holds when this call runs.
    ///
    /// To close the gate reliably, change the answer of `isWanted` first and then call ``close()``.
    /// - Returns: The number of buffers that had passed before.
    @discardableResult
    func open(if isWanted: () -> Bool = { true }) -> Int {
        // The stream lock blocks the streaming thread until the latest buffer has passed, which preserves the order.
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

    /// Holds all buffers back from now on, and keeps the latest one if `keepingLatest`.
    func close(keepingLatest: Bool = true) {
        memory.state.withLock { state in
            state.isOpen = false
            state.keepsLatest = keepingLatest
            if !keepingLatest { state.latest = nil }
        }
    }

    /// Drops the latest buffer, so that opening waits for a new one.
    func forget() { memory.state.withLock { $0.latest = nil } }
}

/// The state that a gate and its probe share.
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

    func judge(_ buffer: PassingBuffer) -> ProbeVerdict {
        let passed: Int? = state.withLock { state in
            guard state.isOpen else {
                if state.keepsLatest { state.latest = buffer.reference }
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
