internal import ArgumentParser
internal import Logging

/// What is run or told when calls ring and end.
struct HookOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "When a call rings, run a program (without a shell; the facts are in CALLAGENT_… variables) or post them as JSON "
                + "to an http:// URL (repeatable).",
            valueName: "command|url"),
        transform: HookTarget.init(parsing:))
    var onRing: [HookTarget] = []

    @Option(
        help: ArgumentHelp("The same when a call is over (repeatable).", valueName: "command|url"),
        transform: HookTarget.init(parsing:))
    var onEnd: [HookTarget] = []

    /// Nil when there is no hook.
    func runner(logger: Logger) -> HookRunner? {
        onRing.isEmpty && onEnd.isEmpty ? nil : HookRunner(onRing: onRing, onEnd: onEnd, logger: logger)
    }
}
