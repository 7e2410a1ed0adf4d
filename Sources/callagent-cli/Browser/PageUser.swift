internal import CallAgent
internal import Foundation
internal import Logging
internal import Synchronization

/// A user of the server's page in a headless Chromium: a party of a scenario.
///
/// The page answers no call by itself. Its camera and microphone are the browser's test sources.
final class PageUser: Sendable {
    /// What is known of the calls of the page.
    private struct State {
        /// What the page said last about each call, by the page's numbers.
        var calls: [Int: Report] = [:]
        var placing = 0
        var hasEnded = false

        mutating func note(_ report: Report, of user: String) {
            let earlier = calls[report.number]?.end
            var end = report.end
            if let party = end?.end.by { end?.end.by = party == "local" ? user : report.peer }
            calls[report.number] = report
            calls[report.number]?.end = end ?? earlier
        }

        /// Nothing more happens to its calls.
        mutating func browserEnded(_ reason: String, of user: String) {
            hasEnded = true
            for (number, last) in calls where last.end == nil {
                let end = CallEnd(reason: .mediaFailed, text: reason, by: .local)
                calls[number]?.end = PageCall(
                    callId: last.callId, role: last.role, peer: last.peer, end: PageCall.End(end, by: user),
                    timelineMs: [:])
            }
        }
    }

    /// What the page says about a call: what happened, or its end.
    private struct Report: Decodable {
        /// The calls of a page are numbered from 0.
        let number: Int
        let callId: String
        let role: CallRole
        let peer: String
        let words: [String]
        var end: PageCall?
    }

    private final class Record: Sendable { let state = Mutex(State()) }

    private let browser: BrowserProcess
    private let record = Record()

    /// Opens the page of the server at `url`, a signaling server's, and signs in.
    ///
    /// - Parameters:
    ///   - browser: the path of a Chromium.
    ///   - note: gets the words by which steps wait, on any thread; none if only the number of calls has changed.
    /// - Throws: a ``Failure`` that begins with the party's name.
    init(
        _ party: ScenarioParty, browser path: String, url: String, log: Logger,
        note: @escaping @Sendable ([String]) -> Void
    ) async throws(Failure) {
        let (page, user, record) = (try Self.page(of: url), party.user, record)
        do {
            browser = try await BrowserProcess(
                path: path, origin: page, log: log,
                report: { text throws(BrowserProcess.Refusal) in
                    let report = try Self.report(text)
                    record.state.withLock { $0.note(report, of: user) }
                    note(report.words)
                },
                ended: { reason in
                    record.state.withLock { $0.browserEnded(reason.description, of: user) }
                    note([])
                })
        } catch {
            throw Failure(.prerequisite, "\(party.name): \("\(error)".printable)")
        }
        do {
            try await browser.open(page)
            try await browser.run("const name = \(Self.literal(user));\n" + PageScript.signIn)
            try await browser.run(PageScript.actions)
        } catch {
            let status: ExitStatus = browser.hasEnded ? .prerequisite : .signaling
            await browser.close()
            throw Failure(status, "\(party.name): \("\(error)".printable)")
        }
    }

    private static func report(_ text: String) throws(BrowserProcess.Refusal) -> Report {
        do {
            return try JSONDecoder().decode(Report.self, from: Data(text.utf8))
        } catch {
            throw BrowserProcess.Refusal(description: "the page reports what this program does not know: \(error)")
        }
    }

    /// The page of a server is where its clients connect.
    private static func page(of url: String) throws(Failure) -> String {
        do throws(SignalingError) {
            let url = try SignalingURL(url, .webSocket)
            return "\(url.isSecure ? "https" : "http")://\(url.hostField)\(url.target)"
        } catch {
            throw Failure(.usage, error.description)
        }
    }

    private static func literal(_ text: String) -> String {
        // JSON's texts are JavaScript's.
        Output.json(text, [])
    }

    // MARK: Acting

    /// Places a call; `duration` is how long it stays connected, nil: until somebody ends it.
    ///
    /// - Throws: `BrowserProcess.Refusal` with the page's reason.
    func place(_ media: CallMedia, to callee: String, duration: Duration?) async throws {
        record.state.withLock { $0.placing += 1 }
        defer { record.state.withLock { $0.placing -= 1 } }
        let wanted = "{ audio: true, video: \(media == .audioVideo) }"
        let milliseconds = duration.map { "\(Int($0.inMilliseconds))" } ?? "null"
        try await browser.run(
            "await \(PageScript.party).call(\(Self.literal(callee)), \(wanted), \(milliseconds));")
    }

    /// Performs an action on the newest call, or on that with `peer`.
    ///
    /// - Throws: `BrowserProcess.Refusal` with the page's reason.
    func perform(_ action: ScenarioStep.Action, peer: String?) async throws {
        guard let act = Self.act(action) else { return }
        let peer = peer.map(Self.literal) ?? "null"
        try await browser.run("await \(PageScript.party).act('\(act.name)', \(act.value), \(peer));")
    }

    /// Whether a page can do this.
    static func canPerform(_ action: ScenarioStep.Action) -> Bool {
        if case .call = action { true } else { act(action) != nil }
    }

    /// The events of a page that a step can wait for.
    static let events = [
        "captureFailed", "deviceRings", "holdChanged", "info", "mediaChanged", "mediaChangeFailed", "mediaWarning",
        "networkChangeEnded", "networkChangeStarted", "peerMediaChanged", "signalingLost", "signalingRestored",
        "videoPending",
    ]

    /// The actions of a page, for texts.
    static let actions =
        "call:PARTY, call-audio:PARTY, accept, reject[:CODE], hangup, hold, unhold, mute-audio, unmute-audio, stop-audio, start-audio, "
        + "add-audio, mute-video, unmute-video, stop-video, start-video, add-video, restart-ice, dtmf:DIGITS and info:TEXT"

    /// The name of an action in the page, and its value in JavaScript; nil if a page has no such action.
    private static func act(_ action: ScenarioStep.Action) -> (name: String, value: String)? {
        switch action {
        case .accept: ("accept", "null")
        case .reject(let code): ("reject", "\(code)")
        case .script(.hangup): ("hangup", "null")
        case .script(.hold): ("hold", "null")
        case .script(.unhold): ("unhold", "null")
        case .script(.muteAudio): ("mute-audio", "null")
        case .script(.unmuteAudio): ("unmute-audio", "null")
        case .script(.muteVideo): ("mute-video", "null")
        case .script(.unmuteVideo): ("unmute-video", "null")
        case .script(.stopAudio): ("stop-audio", "null")
        case .script(.startAudio): ("start-audio", "null")
        case .script(.addAudio): ("add-audio", "null")
        case .script(.stopVideo): ("stop-video", "null")
        case .script(.startVideo): ("start-video", "null")
        case .script(.addVideo): ("add-video", "null")
        case .script(.restartIce): ("restart-ice", "null")
        case .script(.dtmf(let digits)): ("dtmf", literal(digits))
        case .script(.info(let content)): ("info", literal(content))
        default: nil
        }
    }

    // MARK: What there is

    /// Whether no call is up or on its way.
    var isQuiet: Bool {
        record.state.withLock { $0.hasEnded || $0.placing == 0 && $0.calls.values.allSatisfy { $0.end != nil } }
    }

    /// Whether there was a call, with this peer if one is named.
    func hasCall(with peer: String?) -> Bool {
        record.state.withLock { $0.calls.values.contains { peer == nil || $0.peer == peer } }
    }

    /// Whether the browser has ended.
    var hasEnded: Bool { record.state.withLock { $0.hasEnded } }

    /// The calls that have ended, in the order in which they began.
    var calls: [PageCall] { record.state.withLock { $0.calls.sorted { $0.key < $1.key }.compactMap(\.value.end) } }

    /// Hangs up, and ends the browser.
    func close() async {
        try? await browser.run("globalThis.callagent.agent.close();", within: .seconds(1))
        await browser.close()
    }
}
