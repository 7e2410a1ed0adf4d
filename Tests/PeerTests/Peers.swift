import Testing

/// Calls between the program and other implementations of WebRTC, such as real browsers with the server's page.
///
/// The tests run one at a time, since a browser and an encoder keep both cores busy. Everything is on 127.0.0.1.
/// A machine without the browser skips its tests.
@Suite(.serialized, .timeLimit(.minutes(3)))
enum Peers {}
