@testable import CallAgent

extension StateEventTable {
    /// The accepted states.
    // swift-format-ignore: a row is a line.
    static let accepted = StateEventTable(
        columns: [
            Column(name: "connecting caller", machine: .connecting(.caller)),
            Column(name: "connecting callee", machine: .connecting(.callee)),
            Column(name: "connected caller", machine: .connected(.caller)),
            Column(name: "connected callee", machine: .connected(.callee)),
            Column(name: "reconnecting", machine: CallMachine.connected(.caller).after(.interrupted)),
        ],
        text: """
            hangUp                      | hangup >localHangup                  | "                      | "                        | "                        | "
            hold                        | .                                    | "                      | state gates notify       | "                        | "
            setSending off              | state gates                          | "                      | "                        | "                        | "
            changeMedia audio           | .                                    | "                      | makeOffer +change gates  | renegotiate +change      | makeOffer +change gates
            sendInfo                    | info                                 | "                      | "                        | "                        | "

            <cancel 9900                | .                                    | >remoteCancelled       | .                        | >remoteCancelled         | .
            <cancel 487                 | .                                    | >remoteRingTimeout     | .                        | >remoteRingTimeout       | .
            <cancel 200 not d1 d1       | .                                    | >answeredElsewhere     | .                        | >answeredElsewhere       | .
            <cancel 200 not d2 d1       | .                                    | >answeredElsewhere     | .                        | >answeredElsewhere       | .
            <cancel 603 not d2 d1       | .                                    | >declinedElsewhere     | .                        | >declinedElsewhere       | .
            <cancel 200 not d1 d2       | .                                    | >answeredElsewhere     | .                        | >answeredElsewhere       | .
            <cancel 200 not d2 d2       | .                                    | >answeredElsewhere     | .                        | >answeredElsewhere       | .
            <cancel 603 not d2 d2       | .                                    | >declinedElsewhere     | .                        | >declinedElsewhere       | .
            <hangup 9900                | >remoteHangup                        | "                      | "                        | "                        | "
            <hangup 408                 | >remoteConnectTimeout                | "                      | "                        | "                        | "
            <hangup 9906                | >remoteFailed                        | "                      | "                        | "                        | "
            <hangup 99999               | >remoteHangup                        | "                      | "                        | "                        | "
            <candidate                  | addCandidate                         | "                      | "                        | "                        | "
            <candidate g3               | .                                    | "                      | "                        | "                        | "
            <iceRestart                 | restartIce +iceRestart setIce notify | "                      | "                        | "                        | "
            <iceRestart g3              | .                                    | "                      | "                        | "                        | "
            <offer audio g1             | .                                    | close makeAnswer gates | .                        | +change makeAnswer gates | .
            <offer video g1             | .                                    | close makeAnswer gates | .                        | +change makeAnswer gates | .
            <offer audio g2             | .                                    | close makeAnswer gates | .                        | +change makeAnswer gates | .
            <offer video g2             | .                                    | close makeAnswer gates | .                        | +change makeAnswer gates | .
            <renegotiate audio          | +change                              | .                      | makeOffer +change gates  | .                        | makeOffer +change gates
            <renegotiate video          | +change                              | .                      | makeOffer +change gates  | .                        | makeOffer +change gates
            <state off                  | notify                               | "                      | "                        | "                        | "
            <state hold                 | gates notify                         | "                      | "                        | "                        | "
            <info                       | notify                               | "                      | "                        | "                        | "
            <query                      | status                               | "                      | "                        | "                        | "
            <gone                       | +peerGone                            | "                      | "                        | "                        | "
            <error 480                  | +peerGone                            | "                      | .                        | "                        | "
            <error 481                  | >unknownCall                         | "                      | "                        | "                        | "

            signalingLost               | notify                               | "                      | "                        | "                        | "
            signalingRestored           | query notify                         | "                      | "                        | "                        | "
            audit                       | query                                | "                      | "                        | "                        | "

            candidate                   | candidate                            | "                      | "                        | "                        | "
            dtlsConnected               | ~                                    | "                      | .                        | "                        | "
            firstVideoFrame             | gates >connected                     | "                      | .                        | "                        | "
            firstAudioSample            | ~                                    | "                      | "                        | "                        | "
            interrupted                 | ~                                    | "                      | +mediaLost >reconnecting | "                        | .
            resumed                     | .                                    | "                      | "                        | "                        | >connected
            networkChanged              | restartIce +iceRestart notify        | "                      | "                        | "                        | "
            mediaMissing                | restartIce +iceRestart notify        | "                      | "                        | "                        | "
            pathSilent                  | restartIce +iceRestart notify        | "                      | "                        | "                        | "
            dtmf 5                      | notify                               | "                      | "                        | "                        | "
            warning no device           | notify                               | "                      | "                        | "                        | "
            recordingFailed full disk   | notify                               | "                      | "                        | "                        | "
            captureFailed video lost    | state gates notify                   | "                      | "                        | "                        | "
            captureLost video lost      | notify                               | "                      | "                        | "                        | "
            captureRestored video       | notify                               | "                      | "                        | "                        | "
            videoAdapted 4x2            | notify                               | "                      | "                        | "                        | "
            trackFailed video sending   | state gates notify                   | "                      | "                        | "                        | "
            trackFailed video receiving | notify                               | "                      | "                        | "                        | "
            failed s                    | hangup >securityFailed               | "                      | "                        | "                        | "
            failed i                    | hangup >incompatibleMedia            | "                      | "                        | "                        | "
            failed o                    | hangup >mediaFailed                  | "                      | makeOffer +change +mediaLost gates notify >reconnecting | renegotiate +change +mediaLost notify >reconnecting | +mediaLost makeOffer +change gates notify

            timer connect               | hangup >connectTimeout               | "                      | .                        | "                        | "
            timer mediaLost             | .                                    | "                      | "                        | "                        | hangup >mediaLost
            """)
}
