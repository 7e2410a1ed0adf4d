internal import ArgumentParser
internal import Logging
internal import NIOSSL
internal import TLSClient

/// What is run or told when calls ring, are connected and end.
struct HookOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "When a call rings, run a program (without a shell; the facts are in CALLAGENT_… variables) or post them as JSON "
                + "to an http:// or https:// URL (repeatable; of one call, in the order of its events).",
            valueName: "command|url"),
        transform: HookTarget.init(parsing:))
    var onRing: [HookTarget] = []

    @Option(
        help: ArgumentHelp("The same when a call is connected (repeatable).", valueName: "command|url"),
        transform: HookTarget.init(parsing:))
    var onConnect: [HookTarget] = []

    @Option(
        help: ArgumentHelp("The same when a call is over (repeatable).", valueName: "command|url"),
        transform: HookTarget.init(parsing:))
    var onEnd: [HookTarget] = []

    /// Nil when there is no hook.
    ///
    /// - Parameter trustRoots: a file with certificates to trust beside the system's.
    /// - Throws: a ``Failure`` when an `https://` hook has nobody to trust.
    func runner(trustRoots: String?, logger: Logger) throws -> HookRunner? {
        let all = onRing + onConnect + onEnd
        guard !all.isEmpty else { return nil }
        var tls: NIOSSLContext?
        if all.contains(where: \.isSecure) {
            do throws(TrustedRoots.Unreadable) {
                tls = try TrustedRoots.context(file: trustRoots)
            } catch {
                throw Failure(.prerequisite, error.text)
            }
        }
        return HookRunner(onRing: onRing, onConnect: onConnect, onEnd: onEnd, tls: tls, logger: logger)
    }
}
