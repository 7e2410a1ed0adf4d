@testable import CallAgent

extension StateEventTable {
    /// The states of a change from audio to video.
    // swift-format-ignore: a row is a line.
    static let changing = StateEventTable(
        columns: [
            Column(name: "offering", machine: .offering()),
            Column(
                name: "asking", machine: CallMachine.connected(.callee, .audioOnly).after(.changeMedia(.audioVideo))),
            Column(name: "answering", machine: .answering()),
            Column(name: "committed", machine: .committed(.caller)),
            Column(name: "told a commit", machine: CallMachine.answering().after(.received(.commit, generation: 1))),
        ],
        text: """
            hangUp                         | hangup >localHangup                | "                        | "                              | "                        | "
            setSending off                 | state gates gates                  | state gates              | state gates gates              | "                        | "
            setSending on                  | .                                  | "                        | state gates                    | .                        | state gates
            sendInfo                       | info                               | "                        | "                              | "                        | "

            <cancel 9900                   | .                                  | >remoteCancelled         | "                              | .                        | >remoteCancelled
            <cancel 487                    | .                                  | >remoteRingTimeout       | "                              | .                        | >remoteRingTimeout
            <cancel 9900 g3                | .                                  | >remoteCancelled         | "                              | .                        | >remoteCancelled
            <cancel 487 g3                 | .                                  | >remoteRingTimeout       | "                              | .                        | >remoteRingTimeout
            <cancel 200 not d1 d1          | .                                  | >answeredElsewhere       | "                              | .                        | >answeredElsewhere
            <cancel 200 not d2 d1          | .                                  | >answeredElsewhere       | "                              | .                        | >answeredElsewhere
            <cancel 603 not d2 d1          | .                                  | >declinedElsewhere       | "                              | .                        | >declinedElsewhere
            <cancel 200 not d1 d2          | .                                  | >answeredElsewhere       | "                              | .                        | >answeredElsewhere
            <cancel 200 not d2 d2          | .                                  | >answeredElsewhere       | "                              | .                        | >answeredElsewhere
            <cancel 603 not d2 d2          | .                                  | >declinedElsewhere       | "                              | .                        | >declinedElsewhere
            <hangup 9900                   | >remoteHangup                      | "                        | "                              | "                        | "
            <hangup 408                    | >remoteConnectTimeout              | "                        | "                              | "                        | "
            <hangup 9906                   | >remoteFailed                      | "                        | "                              | "                        | "
            <hangup 99999                  | >remoteHangup                      | "                        | "                              | "                        | "
            <hangup 9900 g3                | >remoteHangup                      | "                        | "                              | "                        | "
            <hangup 408 g3                 | >remoteConnectTimeout              | "                        | "                              | "                        | "
            <hangup 9906 g3                | >remoteFailed                      | "                        | "                              | "                        | "
            <hangup 99999 g3               | >remoteHangup                      | "                        | "                              | "                        | "
            <hangup 9900 d1                | >remoteHangup                      | "                        | "                              | "                        | "
            <hangup 9900 d2                | >remoteHangup                      | "                        | "                              | "                        | "
            <candidate                     | addCandidate                       | "                        | "                              | "                        | "
            <candidate d1                  | addCandidate                       | "                        | "                              | "                        | "
            <candidate d2                  | addCandidate                       | "                        | "                              | "                        | "
            <iceRestart                    | restartIce +iceRestart setIce told | "                        | "                              | "                        | "
            <offer audio g1                | .                                  | +change makeAnswer gates | .                              | "                        | "
            <offer video g1                | .                                  | +change makeAnswer gates | .                              | "                        | "
            <offer audio g2                | .                                  | +change makeAnswer gates | close +change makeAnswer gates | .                        | close +change makeAnswer gates
            <offer video g2                | .                                  | +change makeAnswer gates | close +change makeAnswer gates | .                        | close +change makeAnswer gates
            <answer g1                     | setAnswer                          | .                        | "                              | "                        | "
            <commit g1                     | ~                                  | .                        | ~                              | close told               | .
            <rollback g1                   | close told                         | .                        | close told                     | close gates told         | close told
            <state off                     | told                               | "                        | "                              | "                        | "
            <state hold                    | gates gates told                   | gates told               | gates gates told               | "                        | "
            <info                          | told                               | "                        | "                              | "                        | "
            <query                         | status                             | "                        | "                              | "                        | "
            <gone                          | ~                                  | "                        | "                              | "                        | "
            <gone g3                       | ~                                  | "                        | "                              | "                        | "
            <gone d1                       | ~                                  | "                        | "                              | "                        | "
            <gone d2                       | ~                                  | "                        | "                              | "                        | "
            <error 481                     | >unknownCall                       | "                        | "                              | "                        | "
            <error 481 d1                  | >unknownCall                       | "                        | "                              | "                        | "
            <error 481 d2                  | >unknownCall                       | "                        | "                              | "                        | "

            signalingLost                  | told                               | "                        | "                              | "                        | "
            signalingRestored              | query told                         | "                        | "                              | "                        | "
            audit                          | query                              | "                        | "                              | "                        | "

            candidate                      | candidate                          | "                        | "                              | "                        | "
            candidate g1                   | candidate                          | .                        | candidate                      | "                        | "
            dtlsConnected                  | ~                                  | "                        | "                              | "                        | "
            dtlsConnected g1               | ~                                  | .                        | ~                              | .                        | ~
            firstVideoFrame                | ~                                  | "                        | "                              | "                        | "
            firstVideoFrame g1             | commit gates gates                 | .                        | commit gates gates             | .                        | commit close gates told
            firstAudioSample g1            | ~                                  | .                        | ~                              | "                        | "
            interrupted                    | +mediaLost >reconnecting           | "                        | "                              | ~                        | +mediaLost >reconnecting
            interrupted g1                 | ~                                  | .                        | ~                              | +mediaLost >reconnecting | ~
            networkChanged                 | restartIce +iceRestart told        | "                        | "                              | "                        | "
            networkChanged g1              | ~                                  | .                        | restartIce +iceRestart told    | "                        | "
            pathSilent                     | restartIce +iceRestart told        | "                        | "                              | "                        | "
            pathSilent g1                  | ~                                  | .                        | restartIce +iceRestart told    | "                        | "
            dtmf 5                         | told                               | "                        | "                              | "                        | "
            dtmf 5 g1                      | told                               | .                        | told                           | "                        | "
            warning no device              | told                               | "                        | "                              | "                        | "
            warning no device g1           | told                               | .                        | told                           | "                        | "
            captureFailed video lost       | state gates told                   | state told               | told                           | state gates told         | told
            captureFailed video lost g1    | state gates told                   | .                        | told                           | state gates told         | told
            captureLost video lost         | told                               | "                        | "                              | "                        | "
            captureLost video lost g1      | told                               | .                        | told                           | "                        | "
            captureRestored video          | told                               | "                        | "                              | "                        | "
            videoAdapted 4x2               | told                               | "                        | "                              | "                        | "
            captureRestored video g1       | told                               | .                        | told                           | "                        | "
            videoAdapted 4x2 g1            | told                               | .                        | told                           | "                        | "
            trackFailed video sending      | state told                         | "                        | told                           | "                        | "
            trackFailed video receiving    | told                               | "                        | "                              | "                        | "
            trackFailed video sending g1   | gates told                         | .                        | told                           | state gates told         | told
            trackFailed video receiving g1 | told                               | .                        | told                           | "                        | "
            failed s                       | hangup >securityFailed             | "                        | "                              | "                        | "
            failed i                       | hangup >incompatibleMedia          | "                        | "                              | "                        | "
            failed o                       | hangup >mediaFailed                | "                        | "                              | "                        | "
            failed s g1                    | rollback close told                | .                        | rollback close told            | hangup >mediaFailed      | rollback close told
            failed i g1                    | rollback close told                | .                        | rollback close told            | hangup >mediaFailed      | rollback close told
            failed o g1                    | rollback close told                | .                        | rollback close told            | hangup >mediaFailed      | rollback close told

            timer change                   | rollback close told                | told                     | rollback close told            | +change                  | rollback close told
            """)
}
