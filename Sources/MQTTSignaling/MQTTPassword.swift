internal import CallAgent
internal import Logging

/// Where the password of each sign-in comes from.
struct MQTTPassword: Sendable {
    let provider: (@Sendable () async throws -> String)?
    /// The token of the last renewal, until one is refused.
    var renewed: String?
    private var hasWarned = false

    init(provider: (@Sendable () async throws -> String)?) { self.provider = provider }

    /// The password for a sign-in now; nil without one.
    ///
    /// A provider that does not return within `limit` is not waited for.
    nonisolated(nonsending) func current(within limit: Duration) async throws(SignalingError) -> String? {
        guard renewed == nil, let provider else { return renewed }
        let (answers, inbox) = AsyncStream<Result<String, SignalingError>>.makeStream()
        let asking = Task {
            do {
                inbox.yield(.success(try await provider()))
            } catch {
                inbox.yield(.failure(.signInRefused(code: 401, text: "no token: \(error)")))
            }
        }
        let timer = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            inbox.yield(.failure(.signInRefused(code: 401, text: "no token within \(limit)")))
        }
        defer { for task in [asking, timer] { task.cancel() } }
        for await answer in answers { return try answer.get() }
        throw .closed
    }

    /// Warns once that others on the network path can read the password and sign in with it.
    mutating func warnIfPlain(_ url: SignalingURL, _ logger: Logger) {
        guard !hasWarned, !url.isSecure, !url.isLoopback else { return }
        hasWarned = true
        logger.warning("the token goes to another host unencrypted; use mqtts://", metadata: ["host": "\(url.host)"])
    }
}
