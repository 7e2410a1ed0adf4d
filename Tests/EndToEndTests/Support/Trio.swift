import Foundation
import Testing

/// A signaling server, a listener `bob` and a caller, as three processes on loopback.
struct Trio {
    private(set) var server: Program
    let url: String

    /// Starts the server on a free port.
    init(_ options: [String] = []) async throws {
        let server = try Program(["serve", "--listen", "127.0.0.1:0", "--events"] + options)
        try await eventually("the server listens") { server.hasEvent(["event": "serving"]) }
        self.server = server
        url = try #require(server.events.first?["url"] as? String)
    }

    /// Restarts the server at the same address.
    mutating func restartServer() async throws {
        let address = String(url.dropFirst("ws://".count))
        let server = try Program(["serve", "--listen", address, "--events"])
        try await eventually("the server listens again") { server.hasEvent(["event": "serving"]) }
        self.server = server
    }

    /// Starts `bob` and waits until he listens.
    func listen(_ options: [String] = [], environment: [String: String] = [:]) async throws -> Program {
        let bob = try Program(["listen", "--as", "bob", "--events"] + common + options, environment: environment)
        try await eventually("bob listens: \(bob.output) \(bob.errors)") { bob.hasEvent(["event": "listening"]) }
        return bob
    }

    /// Starts a call from alice.
    func call(
        _ options: [String] = [], to peer: String = "bob", environment: [String: String] = [:]
    ) throws -> Program {
        try Program(["call", peer, "--as", "alice"] + common + options, environment: environment)
    }

    /// A running call that is connected at both ends.
    func connected() async throws -> (alice: Program, bob: Program) {
        let bob = try await listen()
        let alice = try call(["--events", "--duration", "10m"])
        for program in [alice, bob] {
            try await eventually("connected") { program.hasEvent(["event": "stateChanged", "state": "connected"]) }
        }
        return (alice, bob)
    }

    /// The options that all programs share.
    var common: [String] { ["--signaling", url, "--ice-interface", "127.0.0.1"] }
}

/// Access to nested values of a JSON document.
extension [String: Any] {
    func object(_ path: String) throws -> [String: Any] { try #require(value(path) as? [String: Any], "\(path)") }

    func number(_ path: String) throws -> Double { try #require((value(path) as? NSNumber)?.doubleValue, "\(path)") }

    func text(_ path: String) throws -> String { try #require(value(path) as? String, "\(path)") }

    func value(_ path: String) -> Any? {
        path.split(separator: ".").reduce(self as Any?) { value, name in (value as? [String: Any])?[String(name)] }
    }
}
