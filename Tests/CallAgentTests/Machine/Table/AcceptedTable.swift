@testable import CallAgent

extension StateEventTable {
    /// Accepted by both.
    static let accepted = StateEventTable(
        columns: [
            Column(name: "connecting caller", machine: .connecting(.caller)),
            Column(name: "connecting callee", machine: .connecting(.callee)),
            Column(name: "connected caller", machine: .connected(.caller)),
            Column(name: "connected callee", machine: .connected(.callee)),
            Column(name: "reconnecting", machine: CallMachine.connected(.caller).after(.interrupted)),
        ],
        text: """
            """)
}
