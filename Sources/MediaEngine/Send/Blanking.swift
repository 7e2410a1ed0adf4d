internal import Synchronization

/// Puts black pictures and silence in the place of what passes a pad.
///
/// Each buffer is replaced by a blank one of the same shape and time, so nothing behind the pad notices: no caps change, the encoder and
/// its clock go on. Of a shape that it cannot make blank it lets nothing through.
final class Blanking: Sendable {
    private let memory: BlankingMemory

    /// Begins switched off; of the probes on `pad`, it is to be the last.
    init(at pad: Pad, kind: MediaKind) {
        let memory = BlankingMemory(kind: kind)
        self.memory = memory
        // The probe belongs to the pad, so it must not own it: it knows the memory only.
        pad.onEvent { event in if case .caps(let caps) = event { memory.note(caps) } }
        pad.probe { memory.judge($0) }
    }

    /// Takes effect with the next buffer.
    func set(_ isOn: Bool) { memory.state.withLock { $0.isOn = isOn } }
}

/// What a blanking and its probes share.
private final class BlankingMemory: Sendable {
    struct State {
        var isOn = false
        var shape: [String: PropertyValue] = [:]
        /// The black picture of this shape, made once.
        var picture: BufferRef?
    }

    let state = Mutex(State())
    private let kind: MediaKind

    init(kind: MediaKind) { self.kind = kind }

    func note(_ caps: PropertyValue) {
        state.withLock { state in
            guard state.shape != caps.fields else { return }
            state.shape = caps.fields ?? [:]
            state.picture = nil
        }
    }

    func judge(_ buffer: BufferRef) -> ProbeVerdict {
        state.withLock { state in
            guard state.isOn else { return .pass }
            return blank(like: buffer, &state).map { .replace($0.copy(timedLike: buffer)) } ?? .drop
        }
    }

    private func blank(like buffer: BufferRef, _ state: inout State) -> BufferRef? {
        guard let format = state.shape["format"]?.stringValue else { return nil }
        if kind == .audio { return BufferRef.silence(format: format, byteCount: buffer.byteCount) }
        guard let width = state.shape["width"]?.intValue, let height = state.shape["height"]?.intValue else {
            return nil
        }
        state.picture = state.picture ?? BufferRef.black(format: format, width: width, height: height)
        return state.picture
    }
}
