@testable import CallAgent

extension StateEventTable {
    /// Sound is on its way to become pictures.
    static let changing = StateEventTable(
        columns: [
            Column(name: "offering", machine: .offering()),
            Column(name: "asking", machine: CallMachine.connected(.callee, .audioOnly).after(.changeMedia(.audioVideo))),
            Column(name: "answering", machine: .answering()),
            Column(name: "committed", machine: .committed(.caller)),
            Column(name: "told a commit", machine: CallMachine.answering().after(.received(.commit, generation: 1))),
        ],
        text: """
            """)
}
