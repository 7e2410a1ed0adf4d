internal import Synchronization

/// The encoders of one source that several tracks share, by format; each exists while two tracks want it, and until none does.
final class SharedEncoders: Sendable {
    /// A track that wants to share.
    struct Member: Sendable {
        /// The encoder delivers: it may be attached.
        let onReady: @Sendable (SharedEncoder) -> Void
        /// The encoder delivers nothing any more, or could not start.
        let onFailure: @Sendable (MediaError) -> Void
        let onChange: @Sendable (CaptureChange) -> Void
    }

    /// What ``leave(_:)`` takes.
    struct Membership: Sendable {
        fileprivate let format: SharedEncoder.Format
        fileprivate let number: Int
    }

    private struct Group {
        var members: [Int: Member] = [:]
        var encoder: SharedEncoder?
        var isReady = false
        /// Distinguishes it from earlier groups of the same format.
        let number: Int
    }
    private struct State {
        var groups: [SharedEncoder.Format: Group] = [:]
        var lastNumber = 0
    }
    private let state = Mutex(State())

    /// One track alone keeps its own encoder.
    private static let fewest = 2

    /// How many encoders there are.
    var count: Int { state.withLock { $0.groups.values.count { $0.encoder != nil } } }

    /// Adds a track; `make` runs when there are enough of them.
    func join(
        _ format: SharedEncoder.Format, _ member: Member,
        make: (
            _ onFailure: @escaping @Sendable (MediaError) -> Void,
            _ onChange: @escaping @Sendable (CaptureChange) -> Void
        ) throws(MediaError) -> SharedEncoder
    ) -> Membership {
        let (number, group, ready) = state.withLock { state -> (Int, Int?, SharedEncoder?) in
            state.lastNumber += 1
            let number = state.lastNumber
            var group = state.groups[format] ?? Group(number: number)
            group.members[number] = member
            defer { state.groups[format] = group }
            if group.isReady { return (number, nil, group.encoder) }
            return (number, group.encoder == nil && group.members.count >= Self.fewest ? group.number : nil, nil)
        }
        if let ready { member.onReady(ready) }
        if let group { begin(format, group, make) }
        return Membership(format: format, number: number)
    }

    /// Removes a track; the last one ends the encoder.
    func leave(_ membership: Membership) {
        let unused = state.withLock { state -> SharedEncoder? in
            guard var group = state.groups[membership.format],
                group.members.removeValue(forKey: membership.number) != nil
            else { return nil }
            state.groups[membership.format] = group.members.isEmpty ? nil : group
            return group.members.isEmpty ? group.encoder : nil
        }
        if let unused { Task { await unused.end() } }
    }

    private func begin(
        _ format: SharedEncoder.Format, _ number: Int,
        _ make: (
            @escaping @Sendable (MediaError) -> Void, @escaping @Sendable (CaptureChange) -> Void
        ) throws(MediaError) -> SharedEncoder
    ) {
        let encoder: SharedEncoder
        do throws(MediaError) {
            encoder = try make(
                { [weak self] in self?.fail(format, number, $0) },
                { [weak self] change in self?.members(of: format, number).forEach { $0.onChange(change) } })
        } catch {
            return fail(format, number, error)
        }
        let isFirst = state.withLock { state in
            guard state.groups[format]?.number == number, state.groups[format]?.encoder == nil else { return false }
            state.groups[format]?.encoder = encoder
            return true
        }
        guard isFirst else { return }
        Task {
            do throws(MediaError) {
                try await encoder.start()
            } catch {
                return fail(format, number, error)
            }
            let members = state.withLock { state -> [Member] in
                guard state.groups[format]?.number == number else { return [] }
                state.groups[format]?.isReady = true
                return state.groups[format].map { Array($0.members.values) } ?? []
            }
            for member in members { member.onReady(encoder) }
        }
    }

    private func members(of format: SharedEncoder.Format, _ number: Int) -> [Member] {
        state.withLock { state in
            guard let group = state.groups[format], group.number == number else { return [] }
            return Array(group.members.values)
        }
    }

    /// Dissolves a group.
    private func fail(_ format: SharedEncoder.Format, _ number: Int, _ error: MediaError) {
        let group = state.withLock { state -> Group? in
            guard state.groups[format]?.number == number else { return nil }
            return state.groups.removeValue(forKey: format)
        }
        guard let group else { return }
        for member in group.members.values { member.onFailure(error) }
        if let encoder = group.encoder { Task { await encoder.end() } }
    }
}
