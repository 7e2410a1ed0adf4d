internal import NIOCore

/// Gets the next token from the application's provider when the server warns that the current one expires soon.
///
/// Runs on its event loop only.
final class TokenRenewal {
    private let provider: @Sendable () async throws -> String
    private let loop: any EventLoop
    /// Called with the reason why the provider had no new token, unless it is the same as the time before.
    var onFailure: ((String) -> Void)?
    private var reported: String?
    private var present: String?
    private var takenAt = NIODeadline.now()
    private var timer: Scheduled<Void>?
    private var asking: Task<Void, Never>?
    /// Counts the requests, so that a late answer is recognized.
    private var round = 0

    /// With less time left than this, there is no further attempt: the next sign-in asks anyway.
    private static let shortestPause = TimeAmount.milliseconds(500)

    init(provider: @escaping @Sendable () async throws -> String, loop: any EventLoop) {
        self.provider = provider
        self.loop = loop
    }

    /// The server accepted a token: the provider is not asked until the server warns again.
    func took(_ token: String?) {
        cancel()
        (present, reported) = (token, nil)
        takenAt = .now()
    }

    /// Stops asking the provider.
    func cancel() {
        round += 1
        timer?.cancel()
        asking?.cancel()
        (timer, asking) = (nil, nil)
    }

    /// The current token expires in `left`; `use` is called with the next one as soon as the provider has it.
    func warned(left: TimeAmount, use: @escaping (String) -> Void) {
        cancel()
        let now = NIODeadline.now()
        plan(after: Self.pause(held: now - takenAt, left: left), end: now + left, use)
    }

    /// How long a token is kept that was held for a while and expires in `left`: at least half of its life.
    ///
    /// A server that warns a minute before the expiry warns at once about tokens that live for less.
    static func pause(held: TimeAmount, left: TimeAmount) -> TimeAmount {
        max(.nanoseconds((left - held).nanoseconds / 2), .zero)
    }

    private func plan(after pause: TimeAmount, end: NIODeadline, _ use: @escaping (String) -> Void) {
        timer = loop.assumeIsolated().scheduleTask(in: pause) { [weak self] in self?.ask(end, use) }
    }

    private func ask(_ end: NIODeadline, _ use: @escaping (String) -> Void) {
        let number = round
        let promise = loop.makePromise(of: String.self)
        asking = promise.completeWithTask { [provider] in try await provider() }
        promise.futureResult.assumeIsolated().whenComplete { [weak self] outcome in
            guard let self, number == round else { return }
            switch outcome {
            case .success(let token) where !SignInRequest.isPlain(token, longest: SignInRequest.longestToken):
                failed("the next token is empty, too long or no ASCII", end, use)
            case .success(let token) where token == present: failed("the next token is the present one", end, use)
            case .success(let token): use(token)
            case .failure(let error): failed("\(error)", end, use)
            }
        }
    }

    /// The provider may have a token later: it is asked again when half of the remaining time has passed.
    private func failed(_ text: String, _ end: NIODeadline, _ use: @escaping (String) -> Void) {
        if reported != text {
            reported = text
            onFailure?(text)
        }
        let pause = TimeAmount.nanoseconds((end - .now()).nanoseconds / 2)
        if pause >= Self.shortestPause { plan(after: pause, end: end, use) }
    }
}
