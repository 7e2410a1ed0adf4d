internal import CallAgent
internal import MediaEngine
internal import Synchronization

/// Numbered messages that the two ends of a call send each other in a data channel, and what becomes of them.
final class TestMessages: Sendable {
    /// What became of the messages, as the program's JSON has it.
    struct Figures: Codable, Sendable, Equatable {
        var messagesSent = 0
        var messagesReceived = 0
        /// Numbers that were left out, and never came.
        var messagesMissing = 0
        /// Messages that came after one with a higher number, or again.
        var messagesReordered = 0
        /// The longest time between two messages; nil before the second one.
        var longestPauseMs: Double?
    }

    private struct State {
        var figures = Figures()
        /// The numbers that were left out, the latest ones.
        var missing: Set<Int> = []
        var next = 0
        var last: ContinuousClock.Instant?
    }

    /// The name of the channel; channels with other names are not ours to read.
    static let label = "callagent-test"
    private static let interval = Duration.milliseconds(100)
    /// A peer may write any number.
    private static let mostMissing = 10_000

    private let state = Mutex(State())

    var figures: Figures { state.withLock { $0.figures } }

    /// Sends and reads messages until it is cancelled or the call ends.
    func run(on call: Call) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.send(on: call) }
            for await channel in call.dataChannels where channel.label == Self.label {
                group.addTask { for await message in channel.messages { self.note(message, at: .now) } }
            }
            group.cancelAll()
        }
    }

    /// Opens a channel, and another one when the call gets another connection, which ends the first one.
    private func send(on call: Call) async {
        guard (try? await call.waitUntilConnected()) != nil else { return }
        var number = 0
        while !Task.isCancelled {
            do throws(CallError) {
                let channel = try await call.openDataChannel(Self.label)
                while await channel.state == .open, (try? await Task.sleep(for: Self.interval)) != nil {
                    // A full channel gets the same number later.
                    guard (try? await channel.send("\(number)")) != nil else { continue }
                    number += 1
                    state.withLock { $0.figures.messagesSent += 1 }
                }
            } catch {
                // A channel also ends before it opens when the call gets another connection meanwhile.
                guard await call.media.data else { return }
                guard (try? await Task.sleep(for: Self.interval)) != nil else { return }
            }
        }
    }

    func note(_ message: DataChannel.Message, at now: ContinuousClock.Instant) {
        guard case .text(let text) = message, let number = Int(text), (0..<Int.max).contains(number) else { return }
        state.withLock { state in
            state.figures.messagesReceived += 1
            if let last = state.last {
                let pause = (now - last).inMilliseconds.rounded(toPlaces: 1)
                state.figures.longestPauseMs = max(state.figures.longestPauseMs ?? 0, pause)
            }
            state.last = now
            if number < state.next {
                state.figures.messagesReordered += 1
                if state.missing.remove(number) != nil { state.figures.messagesMissing -= 1 }
                return
            }
            let missing = state.next..<number
            state.figures.messagesMissing += missing.count
            state.missing.formUnion(missing.suffix(Self.mostMissing))
            // What is forgotten stays missing.
            if state.missing.count > 2 * Self.mostMissing { state.missing = Set(missing.suffix(Self.mostMissing)) }
            state.next = number + 1
        }
    }
}
