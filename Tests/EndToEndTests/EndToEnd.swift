import Testing

/// Calls between real processes and agents, over real sockets, with real media.
///
/// The tests run one at a time. Each test keeps both cores busy, and several at once would measure the load.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum EndToEnd {}
