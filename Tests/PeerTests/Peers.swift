import Testing

/// Calls between the program and other implementations of WebRTC: real browsers with the page that the server serves.
///
/// One at a time: a browser and an encoder keep both cores busy. Everything is on 127.0.0.1. A machine without the browser
/// skips its tests.
@Suite(.serialized, .timeLimit(.minutes(3)))
enum Peers {}
