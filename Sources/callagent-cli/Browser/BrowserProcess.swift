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
    }

    private let state = Mutex(State())
    private let profile: String
    private let outgoing: AsyncStream<[UInt8]>.Continuation
    private let log: Logger

    /// What the page reported, in order; it ends with the browser.
    let reports: AsyncStream<String>
    private let report: AsyncStream<String>.Continuation

    /// The function by which the page reports.
    static let reportFunction = "callagentReport"

    /// How long the browser may take to start, to open a page or to run a script.
    private static let patience = Duration.seconds(30)

    /// Starts the browser at `path`.
    ///
    /// - Parameter origin: the page that may use the camera although it is not encrypted.
    /// - Throws: ``Refusal``.
    init(path: String, origin: String, log: Logger) async throws {
        self.log = log
        profile = NSTemporaryDirectory() + "callagent-browser-\(UUID().uuidString)"
        let (messages, outgoing) = AsyncStream.makeStream(of: [UInt8].self)
        self.outgoing = outgoing
        (reports, report) = AsyncStream.makeStream()
        let arguments = Self.arguments(path, profile, origin)
        let running = Task { await self.run(arguments, messages) }
        state.withLock { $0.running = running }
        do {
            let tab = try await send("Target.createTarget", ["url": "about:blank"], as: Target.self)
            let attached = try await send(
                "Target.attachToTarget", ["targetId": tab.targetId, "flatten": true], as: Session.self)
            state.withLock { $0.session = attached.sessionId }
            try await send("Runtime.enable")
            try await send("Runtime.addBinding", ["name": Self.reportFunction])
        } catch {
            await close()
            throw error
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
        return shell + options + (geteuid() == 0 ? ["--no-sandbox"] : [])
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
    func run(_ body: String) async throws {
        let expression = "(async () => { \(body)\n})()"
        let answer = try await send(
            "Runtime.evaluate", ["expression": expression, "awaitPromise": true], as: Evaluation.self)
        guard let failure = answer.exceptionDetails else { return }
        let text = failure.exception?.description ?? failure.text
        throw Refusal(description: String(text.prefix { $0 != "\n" }))
    }

    /// Ends the browser and removes its profile; what waits for an answer gets an error.
    func close() async {
        _ = try? await send("Browser.close")
        outgoing.finish()
        let running = state.withLock { $0.running }
        running?.cancel()
        await running?.value
        try? FileManager.default.removeItem(atPath: profile)
    }

    // MARK: The pipe

    private func run(_ arguments: [String], _ messages: AsyncStream<[UInt8]>) async {
        var options = PlatformOptions()
        // Its child processes end with it.
        options.createSession = true
        options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(2))]
        var text = "the browser ended"
        do {
            let result = try await Subprocess.run(
                .path("/bin/sh"), arguments: Arguments(arguments), platformOptions: options, input: .inputWriter,
                output: .sequence, error: .discarded
            ) { execution in
                let writing = Task {
                    for await message in messages { _ = try await execution.standardInputWriter.write(message) }
                }
                defer { writing.cancel() }
                let zero = SubprocessOutputSequence.StringSequence<UTF8>.Separator.unicodeScalarSequence(["\0"])
                for try await message in execution.standardOutput.strings(
                    separatedBy: zero, bufferingPolicy: .unbounded)
                {
                    self.received(message)
                }
            }
            text += " (\(result.terminationStatus))"
        } catch {
            text = "the browser cannot be run: \(error)"
        }
        let waiting = state.withLock { state in
            state.end = Refusal(description: text)
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for one in waiting { one.resume(throwing: Refusal(description: text)) }
        report.finish()
    }

    private func received(_ text: String) {
        let data = Data(text.utf8)
        guard let message = try? JSONDecoder().decode(Message.self, from: data) else {
            return log.debug("the browser sent something else", metadata: ["text": "\(text.prefix(200))"])
        }
        if let payload = message.params?.payload, message.method == "Runtime.bindingCalled" { report.yield(payload) }
        guard let id = message.id, let waiting = state.withLock({ $0.waiting.removeValue(forKey: id) }) else { return }
        if let error = message.error {
            waiting.resume(throwing: Refusal(description: error.message))
        } else {
            waiting.resume(returning: data)
        }
    }

    private func send(_ method: String, _ parameters: [String: any Sendable] = [:]) async throws {
        _ = try await answer(method, parameters)
    }

    private func send<Result: Decodable>(
        _ method: String, _ parameters: [String: any Sendable], as type: Result.Type
    ) async throws -> Result {
        let data = try await answer(method, parameters)
        return try JSONDecoder().decode(Answer<Result>.self, from: data).result
    }

    private func answer(_ method: String, _ parameters: [String: any Sendable]) async throws -> Data {
        let (id, session) = state.withLock { state in
            state.lastId += 1
            return (state.lastId, state.session)
        }
        var message: [String: Any] = ["id": id, "method": method, "params": parameters]
        message["sessionId"] = session
        let bytes = Array(try JSONSerialization.data(withJSONObject: message)) + [0]
        let watchdog = Task {
            guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
            let waiting = state.withLock { $0.waiting.removeValue(forKey: id) }
            waiting?.resume(throwing: Refusal(description: "the browser did not answer \(method) within 30 s"))
        }
        defer { watchdog.cancel() }
        return try await withCheckedThrowingContinuation { continuation in
            let end = state.withLock { state in
                if state.end == nil { state.waiting[id] = continuation }
                return state.end
            }
            if let end { return continuation.resume(throwing: end) }
            outgoing.yield(bytes)
        }
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
    private struct Target: Decodable { let targetId: String }
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
