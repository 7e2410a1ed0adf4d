import Testing

/// Calls between real processes and agents, over real sockets, with real media.
///
/// One at a time: each test keeps both cores busy by itself, and what it measures is the program's behaviour, not the load.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum EndToEnd {}
