internal import Foundation
internal import Logging
internal import Subprocess
internal import Synchronization
internal import SystemPackage

/// A headless Chromium of this program's own, with one tab.
///
/// It has a camera and a microphone that are test sources, and a profile that is removed at the end. The program drives it by the
/// [DevTools protocol](https://chromedevtools.github.io/devtools-protocol/) over a pipe, so nobody else can.
final class BrowserProcess: Sendable {
    /// Why the browser did not do something.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    private struct State {
        var lastId = 0
        var waiting: [Int: CheckedContinuation<Data, any Error>] = [:]
        /// The tab, once there is one.
        var session: String?
        var running: Task<Void, Never>?
        /// Why nothing can be sent any more.
        var end: Refusal?
        /// What the browser wrote to standard error: a line with what was fatal, or else the last one before there was a tab.
        var complaint: String?
    }

    private let state = Mutex(State())
    private let profile: String
    private let outgoing: AsyncStream<[UInt8]>.Continuation
    private let log: Logger
    private let report: @Sendable (String) throws(Refusal) -> Void
    private let ended: @Sendable (Refusal) -> Void

    /// The function by which the page reports.
    static let reportFunction = "callagentReport"

    /// How long the browser may take to start, to open a page or to run a script.
    static let patience = Duration.seconds(30)
    /// How long it may take to end by itself.
    private static let closePatience = Duration.seconds(1)

    /// Starts the browser at `path`.
    ///
    /// - Parameters:
    ///   - origin: the page that may use the camera although it is not encrypted.
    ///   - report: gets what the page reports, in order, and before the answer to the script that made the page report it. An error ends the browser.
    ///   - ended: is called once, when the browser or its page has ended, for whatever reason.
    /// - Throws: ``Refusal``.
    init(
        path: String, origin: String, log: Logger, report: @escaping @Sendable (String) throws(Refusal) -> Void,
        ended: @escaping @Sendable (Refusal) -> Void
    ) async throws {
        (self.log, self.report, self.ended) = (log, report, ended)
        // Short, since the path of a socket below it may have 107 bytes.
        profile = NSTemporaryDirectory() + "callagent-" + String(UInt32.random(in: 0...UInt32.max), radix: 16)
        try FileManager.default.createDirectory(
            atPath: profile, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        // A browser that ends while something is written to it must not end this program.
        signal(SIGPIPE, SIG_IGN)
        let (messages, outgoing) = AsyncStream.makeStream(of: [UInt8].self)
        self.outgoing = outgoing
        let arguments = Self.arguments(path, profile, origin)
        let running = Task { await self.run(arguments, messages) }
        state.withLock { $0.running = running }
        do {
            let attached = try await send(
                "Target.attachToTarget", ["targetId": firstTab(), "flatten": true], as: Session.self)
            state.withLock { $0.session = attached.sessionId }
            try await send("Inspector.enable")
            try await send("Runtime.enable")
            try await send("Runtime.addBinding", ["name": Self.reportFunction])
        } catch {
            await close()
            throw error
        }
    }

    /// The tab with which the browser starts.
    ///
    /// Another one is not asked for: a request that came before this tab was there once had no answer.
    private func firstTab() async throws -> String {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            let targets = try await send("Target.getTargets", [:], as: Targets.self).targetInfos
            if let tab = targets.first(where: { $0.type == "page" }) { return tab.targetId }
            guard ContinuousClock.now < deadline else { throw Refusal(description: "the browser opened no tab") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func arguments(_ path: String, _ profile: String, _ origin: String) -> [String] {
        // The browser reads file descriptor 3 and writes 4; `exec` keeps the process, so that a signal reaches it.
        let shell = ["-c", #"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#, path]
        let options = [
            "--headless=new", "--remote-debugging-pipe", "--user-data-dir=\(profile)", "--no-first-run",
            "--disable-background-networking", "--mute-audio", "--use-fake-device-for-media-stream",
            "--use-fake-ui-for-media-stream", "--autoplay-policy=no-user-gesture-required",
            "--allow-loopback-in-peer-connection", "--unsafely-treat-insecure-origin-as-secure=\(origin)",
            // The page may reach local addresses, and tells its own.
            "--disable-features=WebRtcHideLocalIpsWithMdns,LocalNetworkAccessChecks",
        ]
        // The sandbox of Chromium refuses to start as root.
        return shell + options + (geteuid() == 0 ? ["--no-sandbox"] : []) + ["about:blank"]
    }

    // MARK: The page

    /// Opens a page and waits until it is loaded.
    ///
    /// - Throws: ``Refusal``.
    func open(_ url: String) async throws {
        let answer = try await send("Page.navigate", ["url": url], as: Navigation.self)
        if let text = answer.errorText { throw Refusal(description: "it cannot open \(url): \(text)") }
        try await run(
            "if (document.readyState !== 'complete') await new Promise((done) => addEventListener('load', done));")
    }

    /// Runs the body of an asynchronous function in the page.
    ///
    /// - Throws: ``Refusal`` with the text of what the script threw.
    func run(_ body: String, within patience: Duration = BrowserProcess.patience) async throws {
        let expression = "(async () => { \(body)\n})()"
        let answer = try await send(
            "Runtime.evaluate", ["expression": expression, "awaitPromise": true], within: patience,
            as: Evaluation.self)
        guard let failure = answer.exceptionDetails else { return }
        let text = failure.exception?.description ?? failure.text
        throw Refusal(description: String(text.prefix { $0 != "\n" }))
    }

    /// Whether the browser or its page has ended.
    var hasEnded: Bool { state.withLock { $0.end != nil } }

    /// Ends the browser and removes its profile; what waits for an answer gets an error.
    func close() async {
        // The browser itself closes, not the tab.
        state.withLock { $0.session = nil }
        _ = try? await send("Browser.close", within: Self.closePatience)
        end(Refusal(description: "the browser was closed"))
        await state.withLock { $0.running }?.value
        // A process that was killed a moment ago may still write.
        for _ in 0..<10 where FileManager.default.fileExists(atPath: profile) {
            do {
                try FileManager.default.removeItem(atPath: profile)
            } catch {
                log.debug("the browser's profile is still in use", metadata: ["error": "\(error)"])
                // Not cancelled with the current task.
                await Task { _ = try? await Task.sleep(for: .milliseconds(100)) }.value
            }
        }
    }

    /// Ends the browser; the first reason counts.
    private func end(_ reason: Refusal) {
        let (waiting, running, isFirst) = state.withLock { state in
            defer { state.waiting = [:] }
            let isFirst = state.end == nil
            state.end = state.end ?? reason
            return (state.waiting.values, state.running, isFirst)
        }
        for one in waiting { one.resume(throwing: reason) }
        outgoing.finish()
        running?.cancel()
        if isFirst { ended(reason) }
    }

    // MARK: The pipe

    private func run(_ arguments: [String], _ messages: AsyncStream<[UInt8]>) async {
        var options = PlatformOptions()
        // Its child processes end with it.
        options.createSession = true
        options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(2))]
        // Its other temporary files are removed with the profile. Only this program may have the token; nil removes the variable.
        let variables: [Environment.Key: String?] = [
            "TMPDIR": profile, Environment.Key(stringLiteral: EnvironmentSetting.token.rawValue): nil,
        ]
        var text: String
        do {
            let result = try await Subprocess.run(
                .path("/bin/sh"), arguments: Arguments(arguments), environment: .inherit.updating(variables),
                platformOptions: options, input: .inputWriter, output: .sequence, error: .sequence
            ) { execution in
                let writing = Task {
                    for await message in messages { _ = try await execution.standardInputWriter.write(message) }
                }
                let listening = Task {
                    for try await line in execution.standardError.strings() { self.complained(line) }
                }
                defer {
                    writing.cancel()
                    listening.cancel()
                }
                let zero = SubprocessOutputSequence.StringSequence<UTF8>.Separator.unicodeScalarSequence(["\0"])
                for try await message in execution.standardOutput.strings(
                    separatedBy: zero, bufferingPolicy: .unbounded)
                {
                    self.received(message)
                }
            }
            // Of a browser that was killed, some processes are still there.
            kill(-result.processIdentifier.value, SIGKILL)
            text =
                switch result.terminationStatus {
                case .exited(let code): "the browser ended with status \(code)"
                case .signaled(let signal): "signal \(signal) ended the browser"
                }
            if let complaint = state.withLock({ $0.complaint }) { text += ": \(complaint)" }
        } catch {
            text = "the browser cannot be run: \(error)"
        }
        end(Refusal(description: text))
    }

    private func complained(_ line: String) {
        log.debug("the browser complains", metadata: ["text": "\(line.printable)"])
        guard line.contains(where: { !$0.isWhitespace }) else { return }
        state.withLock { state in
            // A running browser complains about much, such as missing audio devices.
            guard line.contains("FATAL") || state.session == nil else { return }
            if state.complaint?.contains("FATAL") != true { state.complaint = String(line.prefix(300)) }
        }
    }

    private func received(_ text: String) {
        let data = Data(text.utf8)
        guard let message = try? JSONDecoder().decode(Message.self, from: data) else {
            return log.debug("the browser sent something else", metadata: ["text": "\(text.prefix(200))"])
        }
        switch message.method {
        case "Runtime.bindingCalled":
            do throws(Refusal) { try report(message.params?.payload ?? "") } catch { end(error) }
        case "Inspector.targetCrashed", "Target.detachedFromTarget": end(Refusal(description: "the page crashed"))
        default: break
        }
        guard let id = message.id, let waiting = state.withLock({ $0.waiting.removeValue(forKey: id) }) else { return }
        if let error = message.error {
            waiting.resume(throwing: Refusal(description: error.message))
        } else {
            waiting.resume(returning: data)
        }
    }

    private func send(
        _ method: String, _ parameters: [String: any Sendable] = [:], within patience: Duration = patience
    ) async throws {
        _ = try await answer(method, parameters, patience)
    }

    private func send<Result: Decodable>(
        _ method: String, _ parameters: [String: any Sendable], within patience: Duration = patience,
        as type: Result.Type
    ) async throws -> Result {
        let data = try await answer(method, parameters, patience)
        return try JSONDecoder().decode(Answer<Result>.self, from: data).result
    }

    /// A cancelled task waits no longer.
    private func answer(
        _ method: String, _ parameters: [String: any Sendable], _ patience: Duration
    ) async throws -> Data {
        let (id, session) = state.withLock { state in
            state.lastId += 1
            return (state.lastId, state.session)
        }
        var message: [String: Any] = ["id": id, "method": method, "params": parameters]
        message["sessionId"] = session
        let bytes = Array(try JSONSerialization.data(withJSONObject: message)) + [0]
        let watchdog = Task {
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            let complaint = state.withLock { $0.complaint }.map { ": \($0)" } ?? ""
            giveUp(id, "the browser did not answer \(method) within \(patience)\(complaint)")
        }
        defer { watchdog.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let end = state.withLock { state in
                    if state.end == nil { state.waiting[id] = continuation }
                    return state.end
                }
                if let end { return continuation.resume(throwing: end) }
                if Task.isCancelled { giveUp(id, Self.cancelled) } else { outgoing.yield(bytes) }
            }
        } onCancel: {
            giveUp(id, Self.cancelled)
        }
    }

    private static let cancelled = "the scenario was over"

    private func giveUp(_ id: Int, _ text: String) {
        let waiting = state.withLock { $0.waiting.removeValue(forKey: id) }
        waiting?.resume(throwing: Refusal(description: text))
    }
}

/// The parts of DevTools messages that this program reads.
extension BrowserProcess {
    private struct Message: Decodable {
        struct Fault: Decodable { let message: String }
        struct Parameters: Decodable { let payload: String? }
        let id: Int?
        let method: String?
        let params: Parameters?
        let error: Fault?
    }

    private struct Answer<Result: Decodable>: Decodable { let result: Result }
    private struct Targets: Decodable { let targetInfos: [Target] }
    private struct Target: Decodable {
        let targetId: String
        let type: String
    }
    private struct Session: Decodable { let sessionId: String }
    private struct Navigation: Decodable { let errorText: String? }

    private struct Evaluation: Decodable {
        struct Exception: Decodable { let description: String? }
        struct Details: Decodable {
            let text: String
            let exception: Exception?
        }
        let exceptionDetails: Details?
    }
}
