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
            Column(
                name: "received a commit",
                machine: CallMachine.answering().after(.received(.commit, generation: 1))),
        ],
        text: """
            hangUp                         | hangup >localHangup                  | "                        | "                              | "                        | "
            setSending off                 | state gates gates                    | state gates              | state gates gates              | "                        | "
            setSending on                  | .                                    | "                        | state gates                    | .                        | state gates
            sendInfo                       | info                                 | "                        | "                              | "                        | "

            <cancel 9900                   | .                                    | >remoteCancelled         | "                              | .                        | >remoteCancelled
            <cancel 487                    | .                                    | >remoteRingTimeout       | "                              | .                        | >remoteRingTimeout
            <cancel 200 not d1 d1          | .                                    | >answeredElsewhere       | "                              | .                        | >answeredElsewhere
            <cancel 200 not d2 d1          | .                                    | >answeredElsewhere       | "                              | .                        | >answeredElsewhere
            <cancel 603 not d2 d1          | .                                    | >declinedElsewhere       | "                              | .                        | >declinedElsewhere
            <cancel 200 not d1 d2          | .                                    | >answeredElsewhere       | "                              | .                        | >answeredElsewhere
            <cancel 200 not d2 d2          | .                                    | >answeredElsewhere       | "                              | .                        | >answeredElsewhere
            <cancel 603 not d2 d2          | .                                    | >declinedElsewhere       | "                              | .                        | >declinedElsewhere
            <hangup 9900                   | >remoteHangup                        | "                        | "                              | "                        | "
            <hangup 408                    | >remoteConnectTimeout                | "                        | "                              | "                        | "
            <hangup 9906                   | >remoteFailed                        | "                        | "                              | "                        | "
            <hangup 99999                  | >remoteHangup                        | "                        | "                              | "                        | "
            <candidate                     | addCandidate                         | "                        | "                              | "                        | "
            <candidate g3                  | .                                    | "                        | "                              | "                        | "
            <iceRestart                    | restartIce +iceRestart setIce notify | "                        | "                              | "                        | "
            <iceRestart g3                 | .                                    | "                        | "                              | "                        | "
            <offer audio g1                | .                                    | +change makeAnswer gates | .                              | "                        | "
            <offer video g1                | .                                    | +change makeAnswer gates | .                              | "                        | "
            <offer audio g2                | .                                    | +change makeAnswer gates | close +change makeAnswer gates | .                        | close +change makeAnswer gates
            <offer video g2                | .                                    | +change makeAnswer gates | close +change makeAnswer gates | .                        | close +change makeAnswer gates
            <answer g1                     | setAnswer                            | .                        | "                              | "                        | "
            <commit g1                     | ~                                    | .                        | ~                              | close notify             | .
            <rollback g1                   | close notify                         | .                        | close notify                   | close gates notify       | close notify
            <state off                     | notify                               | "                        | "                              | "                        | "
            <state hold                    | gates gates notify                   | gates notify             | gates gates notify             | "                        | "
            <info                          | notify                               | "                        | "                              | "                        | "
            <query                         | status                               | "                        | "                              | "                        | "
            <gone                          | +peerGone                            | "                        | "                              | "                        | "
            <error 481                     | >unknownCall                         | "                        | "                              | "                        | "

            signalingLost                  | notify                               | "                        | "                              | "                        | "
            signalingRestored              | query notify                         | "                        | "                              | "                        | "
            audit                          | query                                | "                        | "                              | "                        | "

            candidate                      | candidate                            | "                        | "                              | "                        | "
            candidate g1                   | candidate                            | .                        | candidate                      | "                        | "
            dtlsConnected g1               | ~                                    | .                        | ~                              | .                        | ~
            firstVideoFrame                | ~                                    | "                        | "                              | "                        | "
            firstVideoFrame g1             | commit gates gates                   | .                        | commit gates gates             | .                        | commit close gates notify
            firstAudioSample g1            | ~                                    | .                        | ~                              | "                        | "
            interrupted                    | +mediaLost >reconnecting             | "                        | "                              | ~                        | +mediaLost >reconnecting
            interrupted g1                 | ~                                    | .                        | ~                              | +mediaLost >reconnecting | ~
            networkChanged                 | restartIce +iceRestart notify        | "                        | "                              | "                        | "
            networkChanged g1              | ~                                    | .                        | restartIce +iceRestart notify  | "                        | "
            mediaMissing                   | restartIce +iceRestart notify        | "                        | "                              | "                        | "
            pathSilent                     | restartIce +iceRestart notify        | "                        | "                              | "                        | "
            mediaMissing g1                | ~                                    | .                        | restartIce +iceRestart notify  | "                        | "
            pathSilent g1                  | ~                                    | .                        | restartIce +iceRestart notify  | "                        | "
            dtmf 5                         | notify                               | "                        | "                              | "                        | "
            dtmf 5 g1                      | notify                               | .                        | notify                         | "                        | "
            warning no device              | notify                               | "                        | "                              | "                        | "
            recordingFailed full disk      | notify                               | "                        | "                              | "                        | "
            warning no device g1           | notify                               | .                        | notify                         | "                        | "
            recordingFailed full disk g1   | notify                               | .                        | notify                         | "                        | "
            captureFailed video lost       | state gates notify                   | state notify             | notify                         | state gates notify       | notify
            captureFailed video lost g1    | state gates notify                   | .                        | notify                         | state gates notify       | notify
            captureLost video lost         | notify                               | "                        | "                              | "                        | "
            captureLost video lost g1      | notify                               | .                        | notify                         | "                        | "
            captureRestored video          | notify                               | "                        | "                              | "                        | "
            videoAdapted 4x2               | notify                               | "                        | "                              | "                        | "
            captureRestored video g1       | notify                               | .                        | notify                         | "                        | "
            videoAdapted 4x2 g1            | notify                               | .                        | notify                         | "                        | "
            trackFailed video sending      | state notify                         | "                        | notify                         | "                        | "
            trackFailed video receiving    | notify                               | "                        | "                              | "                        | "
            trackFailed video sending g1   | gates notify                         | .                        | notify                         | state gates notify       | notify
            trackFailed video receiving g1 | notify                               | .                        | notify                         | "                        | "
            failed s                       | hangup >securityFailed               | "                        | "                              | "                        | "
            failed i                       | hangup >incompatibleMedia            | "                        | "                              | "                        | "
            failed o                       | +mediaLost notify >reconnecting      | renegotiate +change +mediaLost notify >reconnecting | +mediaLost notify >reconnecting | ~                        | +mediaLost notify >reconnecting
            failed s g1                    | rollback close notify                | .                        | rollback close notify          | hangup >mediaFailed      | rollback close notify
            failed i g1                    | rollback close notify                | .                        | rollback close notify          | hangup >mediaFailed      | rollback close notify
            failed o g1                    | rollback close notify                | .                        | rollback close notify          | hangup >mediaFailed      | rollback close notify

            timer change                   | rollback close notify                | notify                   | rollback close notify          | +change                  | rollback close notify
            """)
}
