internal import ArgumentParser
internal import CallAgent

/// Which calls `callagent call` places.
struct PlacingOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How long to stay connected.", valueName: "10|500ms|1m30s|forever"))
    var duration = TimeLimit(.seconds(10))

    @Flag(help: "Call without video.")
    var audioOnly = false

    @Option(
        name: .customLong("repeat"), help: ArgumentHelp("How many calls to place, one after the other.", valueName: "N")
    )
    var count = 1

    @Option(help: ArgumentHelp("The id of the call; default: a random one.", valueName: "id"))
    var callId: String?

    @Option(help: ArgumentHelp("The room of the call; default: a random one.", valueName: "room"))
    var room: String?

    var media: CallMedia { audioOnly ? .audioOnly : .audioVideo }

    func validate() throws {
        guard (1...100_000).contains(count) else { throw ValidationError("--repeat takes 1 to 100000") }
        for (option, name) in [("--call-id", callId), ("--room", room)] {
            guard let name else { continue }
            guard SignalingLimits.isName(name) else {
                throw ValidationError(
                    "\(option): '\(name)' is no name: use 1 to 64 ASCII letters, digits and . _ - @ + :")
            }
            guard count == 1 else {
                throw ValidationError("\(option) is for one call; it cannot be used with --repeat")
            }
        }
    }
}

/// Actions that come after a call's end are refused before the call.
extension ScriptOptions {
    func check(against duration: TimeLimit) throws {
        guard let limit = duration.duration, let late = at.first(where: { $0.time.duration >= limit }) else { return }
        throw ValidationError(
            "--at \(late.time.defaultValueDescription)=\(late.text) comes after the call's end; raise --duration")
    }
}
