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
            <iceRestart           | restartIce +iceRestart setIce told | restartIce +iceRestart setIce told | restartIce +iceRestart setIce told | .
            <iceRestart g3        | . | " | " | "
            networkChanged        | restartIce +iceRestart told | restartIce +iceRestart told | restartIce +iceRestart told | .
            pathSilent            | restartIce +iceRestart told | restartIce +iceRestart told | restartIce +iceRestart told | .
            iceParameters 1       | . | " | " | "
            pathChanged 1         | . | " | " | "
            timer iceRestart      | . | " | " | "
            networkChanged g1     | . | " | " | "
            pathSilent g1         | . | " | " | "
            iceParameters 1 g1    | . | " | " | "
            pathChanged 1 g1      | . | " | " | "
            networkChanged g2     | . | " | " | "
            pathSilent g2         | . | " | " | "
            iceParameters 1 g2    | . | " | " | "
            pathChanged 1 g2      | . | " | " | "
            gathered all          | .                         | "                  | "          | "
            frameSizeSent 4x2      | .                         | "                  | "          | "
            frameSizeReceived 4x2  | .                         | "                  | "          | "
            dtmf 5                | told                      | "                  | "          | .
            warning no device     | told                      | "                  | "          | .
            captureFailed video lost | state gates told          | "                  | "          | .
            captureLost video lost | told                      | "                  | "          | .
            captureRestored video | told                      | "                  | "          | .
            trackFailed video sending | state gates told          | "                  | "          | .
            trackFailed video receiving | told                      | "                  | "          | .
            gathered all g1       | .                         | "                  | "          | "
            frameSizeSent 4x2 g1   | .                         | "                  | "          | "
            frameSizeReceived 4x2 g1 | .                         | "                  | "          | "
            dtmf 5 g1             | .                         | "                  | "          | "
            warning no device g1  | .                         | "                  | "          | "
            captureFailed video lost g1 | .                         | "                  | "          | "
            captureLost video lost g1 | .                         | "                  | "          | "
            captureRestored video g1 | .                         | "                  | "          | "
            trackFailed video sending g1 | .                         | "                  | "          | "
            trackFailed video receiving g1 | .                         | "                  | "          | "
            gathered all g2       | .                         | "                  | "          | "
            frameSizeSent 4x2 g2   | .                         | "                  | "          | "
            frameSizeReceived 4x2 g2 | .                         | "                  | "          | "
            dtmf 5 g2             | .                         | "                  | "          | "
            warning no device g2  | .                         | "                  | "          | "
            captureFailed video lost g2 | .                         | "                  | "          | "
            captureLost video lost g2 | .                         | "                  | "          | "
            captureRestored video g2 | .                         | "                  | "          | "
            trackFailed video sending g2 | .                         | "                  | "          | "
            trackFailed video receiving g2 | .                         | "                  | "          | "
            place                 | .                         | "                  | "          | "
            accept                | .                         | "                  | "          | "
            reject 603            | .                         | "                  | "          | "
            reject -1             | .                         | "                  | "          | "
            hangUp                | hangup >localHangup       | "                  | "          | .
            <invite               | .                         | "                  | "          | "
            <ringing              | .                         | "                  | "          | "
            <progress             | .                         | "                  | "          | "
            <accept               | .                         | "                  | "          | "
            <accept sdp           | .                         | "                  | "          | "
            <reject 603           | .                         | "                  | "          | "
            <reject 486           | .                         | "                  | "          | "
            <cancel 9900          | .                         | >remoteCancelled   | .          | "
            <cancel 487           | .                         | >remoteRingTimeout | .          | "
            <hangup 9900          | >remoteHangup             | "                  | "          | .
            <hangup 408           | >remoteConnectTimeout     | "                  | "          | .
            <hangup 9906          | >remoteFailed             | "                  | "          | .
            <hangup 99999         | >remoteHangup             | "                  | "          | .
            <candidate            | addCandidate              | "                  | "          | .
            <gone                 | ~                         | "                  | "          | .
            <error 404            | .                         | "                  | "          | "
            <error 480            | ~                         | "                  | "          | .
            <error 400            | .                         | "                  | "          | "
            <invite g3            | .                         | "                  | "          | "
            <ringing g3           | .                         | "                  | "          | "
            <progress g3          | .                         | "                  | "          | "
            <accept g3            | .                         | "                  | "          | "
            <accept sdp g3        | .                         | "                  | "          | "
            <reject 603 g3        | .                         | "                  | "          | "
            <reject 486 g3        | .                         | "                  | "          | "
            <cancel 9900 g3       | .                         | >remoteCancelled   | .          | "
            <cancel 487 g3        | .                         | >remoteRingTimeout | .          | "
            <hangup 9900 g3       | >remoteHangup             | "                  | "          | .
            <hangup 408 g3        | >remoteConnectTimeout     | "                  | "          | .
            <hangup 9906 g3       | >remoteFailed             | "                  | "          | .
            <hangup 99999 g3      | >remoteHangup             | "                  | "          | .
            <candidate g3         | .                         | "                  | "          | "
            <gone g3              | ~                         | "                  | "          | .
            <error 404 g3         | .                         | "                  | "          | "
            <error 480 g3         | ~                         | "                  | "          | .
            <error 400 g3         | .                         | "                  | "          | "
            inviteFailed          | .                         | "                  | "          | "
            signalingLost         | told                      | "                  | "          | .
            signalingRestored     | query told                | "                  | "          | .
            audit                 | query                     | "                  | "          | .
            yield                 | .                         | "                  | "          | "
            offerCreated          | .                         | "                  | "          | "
            answerCreated         | .                         | "                  | "          | "
            candidate             | candidate                 | "                  | "          | .
            iceConnected          | .                         | "                  | "          | "
            dtlsConnected         | ~                         | "                  | "          | .
            firstVideoFrame       | .                         | "                  | "          | "
            firstAudioSample      | ~                         | "                  | "          | .
            firstVideoShown       | .                         | "                  | "          | "
            firstAudioHeard       | .                         | "                  | "          | "
            interrupted           | +mediaLost >reconnecting  | "                  | "          | .
            resumed               | .                         | "                  | "          | "
            failed s              | hangup >securityFailed    | "                  | "          | .
            failed i              | hangup >incompatibleMedia | "                  | "          | .
            failed o              | hangup >mediaFailed       | "                  | "          | .
            timer ring            | .                         | "                  | "          | "
            timer connect         | .                         | "                  | "          | "
            timer mediaLost       | .                         | "                  | "          | "
            timer peerGone        | .                         | "                  | "          | "
            timer fork            | .                         | "                  | "          | "
            timer change          | .                         | "                  | "          | "
            timer audioGrace      | .                         | "                  | "          | "
            hold                  | .                         | state told         | .          | "
            unhold                | state gates told          | .                  | state told | .
            setSending off        | state gates               | "                  | "          | .
            setSending on         | .                         | "                  | "          | "
            sendInfo              | info                      | "                  | "          | .
            <info                 | told                      | "                  | "          | .
            <state off            | told                      | gates told         | told       | .
            <state on             | .                         | gates told         | told       | .
            <state hold           | told                      | .                  | "          | "
            <query                | status                    | "                  | "          | .
            <status               | .                         | "                  | "          | "
            <error 481            | >unknownCall              | "                  | "          | .
            changeMedia video     | .                         | "                  | "          | "
            changeMedia audio     | .                         | "                  | "          | "
            <renegotiate audio    | .                         | "                  | "          | "
            <renegotiate video    | .                         | "                  | "          | "
            <offer audio g1       | .                         | +change makeAnswer | .          | "
            <offer video g1       | .                         | +change makeAnswer | .          | "
            <answer g1            | .                         | "                  | "          | "
            <commit g1            | .                         | "                  | "          | "
            <rollback g1          | .                         | "                  | "          | "
            offerCreated g1       | .                         | "                  | "          | "
            answerCreated g1      | .                         | "                  | "          | "
            candidate g1          | .                         | "                  | "          | "
            iceConnected g1       | .                         | "                  | "          | "
            dtlsConnected g1      | .                         | "                  | "          | "
            firstVideoFrame g1    | .                         | "                  | "          | "
            firstAudioSample g1   | .                         | "                  | "          | "
            firstVideoShown g1    | .                         | "                  | "          | "
            firstAudioHeard g1    | .                         | "                  | "          | "
            interrupted g1        | .                         | "                  | "          | "
            resumed g1            | .                         | "                  | "          | "
            failed s g1           | .                         | "                  | "          | "
            failed i g1           | .                         | "                  | "          | "
            failed o g1           | .                         | "                  | "          | "
            <offer audio g2       | .                         | +change makeAnswer | .          | "
            <offer video g2       | .                         | +change makeAnswer | .          | "
            <answer g2            | .                         | "                  | "          | "
            <commit g2            | .                         | "                  | "          | "
            <rollback g2          | .                         | "                  | "          | "
            offerCreated g2       | .                         | "                  | "          | "
            answerCreated g2      | .                         | "                  | "          | "
            candidate g2          | .                         | "                  | "          | "
            iceConnected g2       | .                         | "                  | "          | "
            dtlsConnected g2      | .                         | "                  | "          | "
            firstVideoFrame g2    | .                         | "                  | "          | "
            firstAudioSample g2   | .                         | "                  | "          | "
            firstVideoShown g2    | .                         | "                  | "          | "
            firstAudioHeard g2    | .                         | "                  | "          | "
            interrupted g2        | .                         | "                  | "          | "
            resumed g2            | .                         | "                  | "          | "
            failed s g2           | .                         | "                  | "          | "
            failed i g2           | .                         | "                  | "          | "
            failed o g2           | .                         | "                  | "          | "
            <ringing d1           | .                         | "                  | "          | "
            <progress d1          | .                         | "                  | "          | "
            <accept d1            | .                         | "                  | "          | "
            <accept sdp d1        | .                         | "                  | "          | "
            <reject 603 d1        | .                         | "                  | "          | "
            <reject 486 d1        | .                         | "                  | "          | "
            <cancel 200 not d1 d1 | .                         | >answeredElsewhere | .          | "
            <cancel 200 not d2 d1 | .                         | >answeredElsewhere | .          | "
            <cancel 603 not d2 d1 | .                         | >declinedElsewhere | .          | "
            <hangup 9900 d1       | >remoteHangup             | "                  | "          | .
            <candidate d1         | addCandidate              | "                  | "          | .
            <gone d1              | ~                         | "                  | "          | .
            <error 481 d1         | >unknownCall              | "                  | "          | .
            <ringing d2           | .                         | "                  | "          | "
            <progress d2          | .                         | "                  | "          | "
            <accept d2            | .                         | "                  | "          | "
            <accept sdp d2        | .                         | "                  | "          | "
            <reject 603 d2        | .                         | "                  | "          | "
            <reject 486 d2        | .                         | "                  | "          | "
            <cancel 200 not d1 d2 | .                         | >answeredElsewhere | .          | "
            <cancel 200 not d2 d2 | .                         | >answeredElsewhere | .          | "
            <cancel 603 not d2 d2 | .                         | >declinedElsewhere | .          | "
            <hangup 9900 d2       | >remoteHangup             | "                  | "          | .
            <candidate d2         | addCandidate              | "                  | "          | .
            <gone d2              | ~                         | "                  | "          | .
            <error 481 d2         | >unknownCall              | "                  | "          | .
            """)
}
