internal import Synchronization

/// The encoders of one source that several tracks share, by format; each exists from the second track on that wants it, and until none does.
final class SharedEncoders: Sendable {
    /// A track that wants to share; its closures run on any thread.
    struct Member: Sendable {
        /// The encoder delivers: it may be attached.
        let onReady: @Sendable (SharedEncoder) -> Void
        /// The encoder delivers nothing any more, or could not start.
        ///
        /// The member leaves when its own encoder has the source.
        let onFailure: @Sendable (MediaError) -> Void
        /// The device of the source was lost or restored.
        let onChange: @Sendable (CaptureChange) -> Void
        /// A frame was not encoded, since the encoder was too slow.
        let onDrop: @Sendable () -> Void
    }

    /// The tracks that want one format, and their encoder.
    final class Group: Sendable {
        fileprivate struct State {
            var members: [Int: Member] = [:]
            var lastNumber = 0
            var isBeingMade = false
            var encoder: SharedEncoder?
            var isReady = false
        }
        fileprivate let state = Mutex(State())
        fileprivate let format: SharedEncoder.Format

        fileprivate init(_ format: SharedEncoder.Format) { self.format = format }

        fileprivate func forEach(_ body: (Member) -> Void) {
            for member in state.withLock({ Array($0.members.values) }) { body(member) }
        }
    }

    /// What ``leave(_:)`` takes.
    struct Membership: Sendable {
        fileprivate let group: Group
        fileprivate let number: Int
    }

    /// Makes an encoder that reports to a group.
    typealias Make = (_ events: Member) throws(MediaError) -> SharedEncoder

    private let groups = Mutex<[SharedEncoder.Format: Group]>([:])

    /// One track alone keeps its own encoder.
    private static let fewest = 2

    /// How many encoders there are.
    var count: Int { groups.withLock { $0.values.count { $0.state.withLock { $0.encoder != nil } } } }

    /// Adds a track; `make` runs when there are enough of them.
    func join(_ format: SharedEncoder.Format, _ member: Member, make: Make) -> Membership {
        let (group, number, ready, isMaker) = groups.withLock { groups in
            let group = groups[format] ?? Group(format)
            groups[format] = group
            return group.state.withLock { state -> (Group, Int, SharedEncoder?, Bool) in
                state.lastNumber += 1
                state.members[state.lastNumber] = member
                let isMaker = !state.isBeingMade && state.members.count >= Self.fewest
                if isMaker { state.isBeingMade = true }
                return (group, state.lastNumber, state.isReady ? state.encoder : nil, isMaker)
            }
        }
        if let ready { member.onReady(ready) }
        if isMaker { begin(group, make) }
        return Membership(group: group, number: number)
    }

    /// Removes a track; the last one ends the encoder.
    func leave(_ membership: Membership) {
        let group = membership.group
        let unused = groups.withLock { groups in
            group.state.withLock { state -> SharedEncoder? in
                guard state.members.removeValue(forKey: membership.number) != nil, state.members.isEmpty else {
                    return nil
                }
                if groups[group.format] === group { groups[group.format] = nil }
                return state.encoder
            }
        }
        if let unused { Task { await unused.end() } }
    }

    private func begin(_ group: Group, _ make: Make) {
        let encoder: SharedEncoder
        do throws(MediaError) {
            encoder = try make(
                Member(
                    onReady: { _ in },
                    onFailure: { [weak self, weak group] in if let group { self?.dissolve(group, $0) } },
                    onChange: { [weak group] change in group?.forEach { $0.onChange(change) } },
                    onDrop: { [weak group] in group?.forEach { $0.onDrop() } }))
        } catch {
            return dissolve(group, error)
        }
        let isUnused = group.state.withLock { state in
            state.encoder = encoder
            return state.members.isEmpty
        }
        Task {
            if isUnused { return await encoder.end() }
            do throws(MediaError) {
                try await encoder.start()
            } catch {
                return dissolve(group, error)
            }
            let members = group.state.withLock { state in
                state.isReady = true
                return Array(state.members.values)
            }
            for member in members { member.onReady(encoder) }
        }
    }

    /// Lets its members go; the encoder ends with the last one that leaves.
    private func dissolve(_ group: Group, _ error: MediaError) {
        groups.withLock { groups in if groups[group.format] === group { groups[group.format] = nil } }
        group.forEach { $0.onFailure(error) }
    }
}
