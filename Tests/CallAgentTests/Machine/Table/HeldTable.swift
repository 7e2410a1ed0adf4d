@testable import CallAgent

extension StateEventTable {
    /// Held by either end, or by both.
    static let held = StateEventTable(
        columns: [
            Column(name: "held", machine: CallMachine.connected(.caller).after(.hold)),
            Column(name: "remotely held", machine: CallMachine.connected(.callee).after(.received(.state(.init(isHolding: true))))),
            Column(name: "both", machine: CallMachine.connected(.caller).after(.hold, .received(.state(.init(isHolding: true))))),
            Column(name: "ended", machine: CallMachine.connected(.caller).after(.hangUp)),
        ],
        text: """
            """)
}
