internal import CallAgent
internal import Synchronization

/// What an end knows about a call, after its end.
struct EndedCall: Sendable {
    let report: CallReport
    /// Nil: no messages were sent.
    var messages: TestMessages.Figures?
}

/// One call of a command, after its end.
struct CallOutcome: Sendable {
    let ended: EndedCall
    /// The actions that the call refused, a line each.
    let complaints: [String]
    /// A source of this end that was in a failed state when the call ended, and for which no stand-in is allowed.
    let missing: CaptureFault?

    var report: CallReport { ended.report }

    /// Whether the call fails without media that it should have received.
    var requiresMedia = false

    /// Why the call failed; nil if it succeeded.
    var failure: Failure? {
        if let end = report.end, let failure = Failure(end, peer: report.peer) { return failure }
        if requiresMedia, let text = report.missingText {
            return Failure(.noMedia, "\(text); --require-media wants all kinds of the call")
        }
        if let missing {
            return Failure(.noMedia, NoticeLine.missing(missing) + "; --allow-stand-in lets a call succeed without it")
        }
        if let fault = report.recordingFault { return Failure(.prerequisite, fault) }
        return complaints.first.map { Failure(.expectation, $0) }
    }
}

extension CallReport {
    /// The kinds of media that the call had and of which nothing was received; empty if it was not connected.
    var missingKinds: [String] {
        guard timeline.instant(of: .connected) != nil else { return [] }
        let kinds = [("video", media.video, statistics.video), ("audio", media.audio, statistics.audio)]
        return kinds.filter { $0.1 && ($0.2?.received.decoded ?? 0) == 0 }.map(\.0)
    }

    /// Whether nothing at all was received of a connected call.
    var isSilent: Bool { !missingKinds.isEmpty && missingKinds.count == [media.video, media.audio].count { $0 } }

    /// Such as `bob sent no video and no audio`; nil if every kind was received.
    var missingText: String? {
        let words = missingKinds.map { "no \($0)" }
        return words.isEmpty ? nil : "\(peer) sent \(words.joined(separator: " and "))"
    }
}

/// The ended calls, for the report at the end.
final class OutcomeLog: Sendable {
    /// The latest calls that are kept; nil: all.
    private let limit: Int?
    private let storage = Mutex<(outcomes: [CallOutcome], failure: Failure?)>(([], nil))

    var outcomes: [CallOutcome] { storage.withLock { $0.outcomes } }
    /// What failed first that is no call.
    var failure: Failure? { storage.withLock { $0.failure } }

    init(keeping limit: Int? = nil) { self.limit = limit }

    func append(_ outcome: CallOutcome) {
        storage.withLock { storage in
            storage.outcomes.append(outcome)
            if let limit, storage.outcomes.count > limit { storage.outcomes.removeFirst() }
        }
    }

    func note(_ failure: Failure?) { storage.withLock { $0.failure = $0.failure ?? failure } }
}
