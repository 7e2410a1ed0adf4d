internal import Synchronization

/// Replaces what passes a pad with black frames or silence.
///
/// Each buffer is replaced by a blank one of the same shape and time, so elements behind the pad do not notice: the caps do not change,
/// and the encoder and its clock continue. If it cannot make a blank buffer of a shape, it drops the buffers.
final class Blanking: Sendable {
    private let memory: BlankingMemory

    /// Starts switched off; a probe behind it on `pad` sees what replaces a buffer.
    init(at pad: Pad, kind: MediaKind) {
        let memory = BlankingMemory(kind: kind)
        self.memory = memory
        // The pad owns the probe, so the probe must not own the pad: it holds only the memory.
        pad.onEvent { event in if case .caps(let caps) = event { memory.note(caps) } }
        pad.probe { memory.judge($0) }
    }

    /// Takes effect with the next buffer.
    func set(_ isOn: Bool) { memory.state.withLock { $0.isOn = isOn } }
}

/// The state that a blanking and its probes share.
private final class BlankingMemory: Sendable {
    struct State {
        var isOn = false
        var shape: [String: PropertyValue] = [:]
        /// The black frame of this shape, made once.
        var frame: BufferRef?
    }

    let state = Mutex(State())
    private let kind: MediaKind

    init(kind: MediaKind) { self.kind = kind }

    func note(_ caps: PropertyValue) {
        state.withLock { state in
            guard state.shape != caps.fields else { return }
            state.shape = caps.fields ?? [:]
            state.frame = nil
        }
    }

    func judge(_ passing: PassingBuffer) -> ProbeVerdict {
        state.withLock { state in
            guard state.isOn else { return .pass }
            let buffer = passing.reference
            return blank(like: buffer, &state).map { .replace($0.copy(timedLike: buffer)) } ?? .drop
        }
    }

    private func blank(like buffer: BufferRef, _ state: inout State) -> BufferRef? {
        guard let format = state.shape["format"]?.stringValue else { return nil }
        if kind == .audio { return BufferRef.silence(format: format, byteCount: buffer.byteCount) }
        guard let width = state.shape["width"]?.intValue, let height = state.shape["height"]?.intValue else {
            return nil
        }
        state.frame = state.frame ?? BufferRef.black(format: format, width: width, height: height)
        return state.frame
    }
}
