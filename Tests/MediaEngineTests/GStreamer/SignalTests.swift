import Synchronization
import Testing

@testable import MediaEngine

/// Counts its instances.
private final class Witness: Sendable {
    static let alive = Atomic(0)
    private let calls = Atomic(0)

    init() { Self.alive.add(1, ordering: .relaxed) }

    deinit { Self.alive.subtract(1, ordering: .relaxed) }

    func note() { calls.add(1, ordering: .relaxed) }
}

@Suite("Signals", .serialized) struct SignalTests {
    /// An element that emits `notify` each time a property is set.
    private func emitter() throws -> Element {
        try GStreamerLibrary.initialize()
        return try Element("identity")
    }

    @Test("A handler gets the emitter, and is not called after its release")
    func connectAndRelease() throws {
        let element = try emitter()
        let names = Shared<[String]>([])
        var connection: SignalConnection? = element.connect("notify::silent") { arguments in
            names.update { $0.append(arguments.element(0)?.factoryName ?? "none") }
        }
        try element.set("silent", "false")
        try element.set("silent", "true")
        #expect(names.value == ["identity", "identity"])
        #expect(connection != nil)
        connection = nil
        try element.set("silent", "false")
        #expect(names.value.count == 2)
    }

    @Test("Arguments of another type or beyond the last are nil")
    func argumentsAreChecked() throws {
        let element = try emitter()
        let seen = Shared<[Bool]>([])
        let connection = element.connect("notify::silent") { arguments in
            seen.update {
                $0 = [
                    arguments.string(0) == nil, arguments.uint(0) == nil, arguments.pad(0) == nil,
                    arguments.element(1) == nil, arguments.string(9) == nil, arguments.element(0) != nil,
                ]
            }
        }
        try element.set("silent", "false")
        #expect(seen.value == [Bool](repeating: true, count: 6))
        withExtendedLifetime(connection) {}
    }

    @Test("Connecting and disconnecting while another thread emits releases every handler")
    func connectWhileEmitting() async throws {
        let element = try emitter()
        let stop = Shared(false)
        let emissions = Shared(0)
        let thread = Task.detached {
            while !stop.value {
                try element.set("silent", "false")
                try element.set("silent", "true")
                emissions.update { $0 += 2 }
            }
        }
        try await eventually("the first emission") { emissions.value > 0 }
        for _ in 0..<5_000 {
            let witness = Witness()
            let connection = element.connect("notify::silent") { _ in witness.note() }
            withExtendedLifetime(connection) {}
        }
        stop.set(true)
        try await thread.value
        #expect(emissions.value > 0)
        try await eventually("all handlers released") { Witness.alive.load(ordering: .relaxed) == 0 }
    }

    @Test("A handler that lasts as long as the object is released with it")
    func watch() async throws {
        do {
            let element = try emitter()
            let witness = Witness()
            element.watch("notify::silent") { _ in witness.note() }
            try element.set("silent", "false")
        }
        try await eventually("the handler released") { Witness.alive.load(ordering: .relaxed) == 0 }
    }

    @Test("An action that does not exist does nothing")
    func unknownAction() throws { try emitter().emit("no-such-action", [.uint(1), .string("x"), .uint64(2)]) }

    @Test("Probes and bus handlers are released with their pad or bus")
    func probesAndBus() async throws {
        do {
            try GStreamerLibrary.initialize()
            let pipeline = try Pipeline(name: "witness", timeBase: .ownStart)
            let bin = try Element(launch: "audiotestsrc num-buffers=5 ! fakesink name=sink", description: "test")
            pipeline.bin.add(bin)
            let pad = try #require(bin.child("sink")).pad("sink")
            let (onBuffer, onFirst, onEvent, onMessage) = (Witness(), Witness(), Witness(), Witness())
            let messages = Shared<[BusMessage]>([])
            pad.probe { _ in
                onBuffer.note()
                return .pass
            }
            pad.onFirstBuffer { _ in onFirst.note() }
            pad.onEvent { _ in onEvent.note() }
            pipeline.bus.watch { message in
                onMessage.note()
                messages.update { $0.append(message) }
            }
            try pipeline.bin.setState(.playing)
            try await eventually("the end of the stream") { messages.value.contains(.endOfStream) }
            pipeline.stop()
        }
        try await eventually("all handlers released") { Witness.alive.load(ordering: .relaxed) == 0 }
    }

    @Test("A removed probe sees no more buffers, and removing it twice is harmless")
    func removedProbe() async throws {
        try GStreamerLibrary.initialize()
        let pipeline = try Pipeline(name: "probe", timeBase: .ownStart)
        defer { pipeline.stop() }
        let bin = try Element(launch: "audiotestsrc is-live=true ! fakesink name=sink", description: "test")
        pipeline.bin.add(bin)
        let pad = try #require(bin.child("sink")).pad("sink")
        let (removed, kept, once) = (Shared(0), Shared(0), Shared(0))
        let probe = pad.probe { _ in
            removed.update { $0 += 1 }
            return .pass
        }
        pad.probe { _ in
            once.update { $0 += 1 }
            return .passAndRemove
        }
        pad.probe { _ in
            kept.update { $0 += 1 }
            return .pass
        }
        try pipeline.bin.setState(.playing)
        try await eventually("buffers") { kept.value >= 3 }
        probe.remove()
        probe.remove()
        let count = kept.value
        try await eventually("more buffers") { kept.value >= count + 5 }
        #expect(removed.value <= count + 1)
        #expect(once.value == 1)
    }
}
