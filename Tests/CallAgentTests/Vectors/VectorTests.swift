import Conformance
import Testing

/// The agent passes the vectors of `Tests/Vectors` (`docs/signaling.md`, "Conformance").
///
/// With `CALLAGENT_WRITE_VECTORS=1` the tests rewrite the expectations of the traces instead.
struct VectorTests {
    @Test("Each message decodes as its vector expects, or is refused as expected")
    func messages() throws {
        let vectors = try MessageVector.all()
        #expect(vectors.count > 200)
        #expect(Set(vectors.map(\.name)).count == vectors.count, "names are unique")
        for vector in vectors { #expect(try vector.decoded == vector.outcome, "\(vector.name)") }
    }

    @Test("A message that is decoded and encoded again decodes to the same message")
    func writtenAgain() throws {
        for vector in try MessageVector.all() {
            guard let message = vector.outcome["message"] else { continue }
            let again = MessageVector(name: vector.name, text: message.text, outcome: vector.outcome)
            #expect(try again.decoded == vector.outcome, "\(vector.name)")
        }
    }

    @Test("The delivery follows its traces")
    func delivery() throws {
        let traces = try DeliveryTrace.all()
        if VectorFile.isWriting { return try write(.delivery, try traces.map { try $0.rewritten() }) }
        #expect(traces.count > 10)
        for trace in traces { #expect(try trace.mismatch(trace.played()) == nil, "\(trace.name)") }
    }

    @Test("The routing follows its traces")
    func routing() throws {
        let traces = try RoutingTrace.all()
        if VectorFile.isWriting { return try write(.routing, try traces.map { try $0.rewritten() }) }
        #expect(traces.count > 5)
        for trace in traces { #expect(try trace.played() == trace.outcomes, "\(trace.name)") }
    }

    @Test("The calls follow their traces")
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
