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
    nonisolated(nonsending) func current() async throws(SignalingError) -> String? {
        guard renewed == nil, let provider else { return renewed }
        do {
            return try await provider()
        } catch {
            throw .signInRefused(code: 401, text: "no token: \(error)")
        }
    }

    /// Warns once that others on the network path can read the password and sign in with it.
    mutating func warnIfPlain(_ url: SignalingURL, _ logger: Logger) {
        guard !hasWarned, !url.isSecure, !url.isLoopback else { return }
        hasWarned = true
        logger.warning("the token goes to another host unencrypted; use mqtts://", metadata: ["host": "\(url.host)"])
    }
}
