import Conformance
import Testing

/// The agent does what the vectors of `Tests/Vectors` say (`docs/signaling.md`, "Conformance").
///
/// With `CALLAGENT_WRITE_VECTORS=1` the expectations of the traces are written anew instead.
struct VectorTests {
    @Test("Each message decodes to what its vector says, or is refused as it says")
    func messages() throws {
        let vectors = try MessageVector.all()
        #expect(vectors.count > 200)
        #expect(Set(vectors.map(\.name)).count == vectors.count, "names are unique")
        for vector in vectors { #expect(try vector.decoded == vector.outcome, "\(vector.name)") }
    }

    @Test("What was read of a message and is written again is read as the same")
    func writtenAgain() throws {
        for vector in try MessageVector.all() {
            guard let message = vector.outcome["message"] else { continue }
            let again = MessageVector(name: vector.name, text: message.text, outcome: vector.outcome)
            #expect(try again.decoded == vector.outcome, "\(vector.name)")
        }
    }

    @Test("Delivery does what its traces say")
    func delivery() throws {
        let traces = try DeliveryTrace.all()
        if VectorFile.isWriting { return try write(.delivery, try traces.map { try $0.rewritten() }) }
        #expect(traces.count > 10)
        for trace in traces { #expect(try trace.mismatch(trace.played()) == nil, "\(trace.name)") }
    }

    @Test("Messages go to the calls that the traces of routing say")
    func routing() throws {
        let traces = try RoutingTrace.all()
        if VectorFile.isWriting { return try write(.routing, try traces.map { try $0.rewritten() }) }
        #expect(traces.count > 5)
        for trace in traces { #expect(try trace.played() == trace.outcomes, "\(trace.name)") }
    }

    @Test("Calls go as their traces say")
    func calls() throws {
        let traces = try CallTrace.all()
        if VectorFile.isWriting { return try write(.calls, try traces.map { try $0.rewritten() }) }
        #expect(traces.count > 20)
        for trace in traces {
            for (place, (said, wanted)) in zip(try trace.played(), trace.steps).enumerated() {
                #expect(said == wanted, "\(trace.name), step \(place)")
            }
        }
    }

    @Test("The vectors are small enough to be read")
    func size() throws {
        #expect(try VectorFile.allCases.reduce(0) { $0 + (try $1.text.utf8.count) } < 400_000)
    }

    private func write(_ file: VectorFile, _ traces: [JSONValue]) throws {
        try file.write(file.read(), traces: traces)
        Issue.record("\(file.rawValue).json was written anew, and nothing compared")
    }
}
