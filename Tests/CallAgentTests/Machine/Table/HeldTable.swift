@testable import CallAgent

extension StateEventTable {
    /// The states of a call that one end or both ends hold.
    // swift-format-ignore: a row is a line.
    static let held = StateEventTable(
        columns: [
            Column(name: "held", machine: CallMachine.connected(.caller).after(.hold)),
            Column(
                name: "remotely held",
                machine: CallMachine.connected(.callee).after(.received(.state(.init(isHolding: true))))),
            Column(
                name: "both",
                machine: CallMachine.connected(.caller).after(.hold, .received(.state(.init(isHolding: true))))),
            Column(name: "ended", machine: CallMachine.connected(.caller).after(.hangUp)),
        ],
        text: """
            hangUp                      | hangup >localHangup                  | "                  | "            | .
            hold                        | .                                    | state notify       | .            | "
            unhold                      | state gates notify                   | .                  | state notify | .
            setSending off              | state gates                          | "                  | "            | .
            sendInfo                    | info                                 | "                  | "            | .

            <cancel 9900                | .                                    | >remoteCancelled   | .            | "
            <cancel 487                 | .                                    | >remoteRingTimeout | .            | "
            <cancel 200 not d1 d1       | .                                    | >answeredElsewhere | .            | "
            <cancel 200 not d2 d1       | .                                    | >answeredElsewhere | .            | "
            <cancel 603 not d2 d1       | .                                    | >declinedElsewhere | .            | "
            <cancel 200 not d1 d2       | .                                    | >answeredElsewhere | .            | "
            <cancel 200 not d2 d2       | .                                    | >answeredElsewhere | .            | "
            <cancel 603 not d2 d2       | .                                    | >declinedElsewhere | .            | "
            <hangup 9900                | >remoteHangup                        | "                  | "            | .
            <hangup 408                 | >remoteConnectTimeout                | "                  | "            | .
            <hangup 9906                | >remoteFailed                        | "                  | "            | .
            <hangup 99999               | >remoteHangup                        | "                  | "            | .
            <candidate                  | addCandidate                         | "                  | "            | .
            <candidate g3               | .                                    | "                  | "            | "
            <iceRestart                 | restartIce +iceRestart setIce notify | "                  | "            | .
            <iceRestart g3              | .                                    | "                  | "            | "
            <offer audio g1             | .                                    | +change makeAnswer | .            | "
            <offer video g1             | .                                    | +change makeAnswer | .            | "
            <offer audio g2             | .                                    | +change makeAnswer | .            | "
            <offer video g2             | .                                    | +change makeAnswer | .            | "
            <renegotiate video          | makeOffer +change                    | .                  | makeOffer +change | .
            <state off                  | notify                               | gates notify       | notify       | .
            <state on                   | .                                    | gates notify       | notify       | .
            <state hold                 | notify                               | .                  | "            | "
            <info                       | notify                               | "                  | "            | .
            <query                      | status                               | "                  | "            | .
            <gone                       | +peerGone                            | "                  | "            | .
            <error 481                  | >unknownCall                         | "                  | "            | .

            signalingLost               | notify                               | "                  | "            | .
            signalingRestored           | query notify                         | "                  | "            | .
            audit                       | query                                | "                  | "            | .

            candidate                   | candidate                            | "                  | "            | .
            firstAudioSample            | ~                                    | "                  | "            | .
            interrupted                 | +mediaLost >reconnecting             | "                  | "            | .
            networkChanged              | restartIce +iceRestart notify        | "                  | "            | .
            pathSilent                  | restartIce +iceRestart notify        | "                  | "            | .
            dtmf 5                      | notify                               | "                  | "            | .
            warning no device           | notify                               | "                  | "            | .
            recordingFailed full disk   | notify                               | "                  | "            | .
            captureFailed video lost    | state gates notify                   | "                  | "            | .
            captureLost video lost      | notify                               | "                  | "            | .
            captureRestored video       | notify                               | "                  | "            | .
            videoAdapted 4x2            | notify                               | "                  | "            | .
            trackFailed video sending   | state gates notify                   | "                  | "            | .
            trackFailed video receiving | notify                               | "                  | "            | .
            failed s                    | hangup >securityFailed               | "                  | "            | .
            failed i                    | hangup >incompatibleMedia            | "                  | "            | .
            failed o                    | makeOffer +change +mediaLost notify >reconnecting | renegotiate +change +mediaLost notify >reconnecting | makeOffer +change +mediaLost notify >reconnecting | .
            """)
}
