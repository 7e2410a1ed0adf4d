internal import ArgumentParser

/// What a command's calls send beside their media.
struct MessageOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Send ten numbered messages a second in a data channel while a call is connected, and count what arrives of the peer's. Both ends need it."
        ))
    var dataChannel = false
}
