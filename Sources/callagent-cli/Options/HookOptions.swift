internal import ArgumentParser
internal import Logging
internal import NIOSSL
internal import TransportSecurity

/// The hooks to run when calls ring, are connected and end.
struct HookOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "When a call rings, run a program, or post the call's data as JSON to an http:// or https:// URL (repeatable). "
                + "A program runs without a shell and gets the data in CALLAGENT_… variables. The hooks of one call run in the order of its events.",
            valueName: "command|url"),
        transform: HookTarget.init(parsing:))
    var onRing: [HookTarget] = []

    @Option(
        help: ArgumentHelp("The same as --on-ring, when a call is connected (repeatable).", valueName: "command|url"),
        transform: HookTarget.init(parsing:))
    var onConnect: [HookTarget] = []

    @Option(
        help: ArgumentHelp("The same as --on-ring, when a call has ended (repeatable).", valueName: "command|url"),
        transform: HookTarget.init(parsing:))
    var onEnd: [HookTarget] = []

    /// Nil if there is no hook.
    ///
    /// - Parameter trustRoots: a file with certificates to trust in addition to the system's.
    /// - Throws: a ``Failure`` if an `https://` hook has no trusted certificates.
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
