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
            <iceRestart           | restartIce +iceRestart setIce told | " | " | " | "
            <iceRestart g3        | . | " | " | " | "
            networkChanged        | restartIce +iceRestart told | " | " | " | "
            pathSilent            | restartIce +iceRestart told | " | " | " | "
            iceParameters 1       | . | " | " | " | "
            pathChanged 1         | . | " | " | " | "
            timer iceRestart      | . | " | " | " | "
            networkChanged g1     | ~ | . | restartIce +iceRestart told | restartIce +iceRestart told | restartIce +iceRestart told
            pathSilent g1         | ~ | . | restartIce +iceRestart told | restartIce +iceRestart told | restartIce +iceRestart told
            iceParameters 1 g1    | . | " | " | " | "
            pathChanged 1 g1      | . | " | " | " | "
            networkChanged g2     | . | " | " | " | "
            pathSilent g2         | . | " | " | " | "
            iceParameters 1 g2    | . | " | " | " | "
            pathChanged 1 g2      | . | " | " | " | "
            gathered all          | .                         | "                        | "                              | "                        | "
            frameSizeSent 4x2      | .                         | "                        | "                              | "                        | "
            frameSizeReceived 4x2  | .                         | "                        | "                              | "                        | "
            dtmf 5                | told                      | "                        | "                              | "                        | "
            warning no device     | told                      | "                        | "                              | "                        | "
            captureFailed video lost | state gates told          | state told               | told                           | state gates told         | told
            captureLost video lost | told                      | "                        | "                              | "                        | "
            captureRestored video | told                      | "                        | "                              | "                        | "
            trackFailed video sending | state told                | "                        | told                           | "                        | "
            trackFailed video receiving | told                      | "                        | "                              | "                        | "
            gathered all g1       | .                         | "                        | "                              | "                        | "
            frameSizeSent 4x2 g1   | .                         | "                        | "                              | "                        | "
            frameSizeReceived 4x2 g1 | .                         | "                        | "                              | "                        | "
            dtmf 5 g1             | told                      | .                        | told                           | "                        | "
            warning no device g1  | told                      | .                        | told                           | "                        | "
            captureFailed video lost g1 | state gates told          | .                        | told                           | state gates told         | told
            captureLost video lost g1 | told                      | .                        | told                           | "                        | "
            captureRestored video g1 | told                      | .                        | told                           | "                        | "
            trackFailed video sending g1 | gates told                | .                        | told                           | state gates told         | told
            trackFailed video receiving g1 | told                      | .                        | told                           | "                        | "
            gathered all g2       | .                         | "                        | "                              | "                        | "
            frameSizeSent 4x2 g2   | .                         | "                        | "                              | "                        | "
            frameSizeReceived 4x2 g2 | .                         | "                        | "                              | "                        | "
            dtmf 5 g2             | .                         | "                        | "                              | "                        | "
            warning no device g2  | .                         | "                        | "                              | "                        | "
            captureFailed video lost g2 | .                         | "                        | "                              | "                        | "
            captureLost video lost g2 | .                         | "                        | "                              | "                        | "
            captureRestored video g2 | .                         | "                        | "                              | "                        | "
            trackFailed video sending g2 | .                         | "                        | "                              | "                        | "
            trackFailed video receiving g2 | .                         | "                        | "                              | "                        | "
            place                 | .                         | "                        | "                              | "                        | "
            accept                | .                         | "                        | "                              | "                        | "
            reject 603            | .                         | "                        | "                              | "                        | "
            reject -1             | .                         | "                        | "                              | "                        | "
            hangUp                | hangup >localHangup       | "                        | "                              | "                        | "
            <invite               | .                         | "                        | "                              | "                        | "
            <ringing              | .                         | "                        | "                              | "                        | "
            <progress             | .                         | "                        | "                              | "                        | "
            <accept               | .                         | "                        | "                              | "                        | "
            <accept sdp           | .                         | "                        | "                              | "                        | "
            <reject 603           | .                         | "                        | "                              | "                        | "
            <reject 486           | .                         | "                        | "                              | "                        | "
            <cancel 9900          | .                         | >remoteCancelled         | "                              | .                        | >remoteCancelled
            <cancel 487           | .                         | >remoteRingTimeout       | "                              | .                        | >remoteRingTimeout
            <hangup 9900          | >remoteHangup             | "                        | "                              | "                        | "
            <hangup 408           | >remoteConnectTimeout     | "                        | "                              | "                        | "
            <hangup 9906          | >remoteFailed             | "                        | "                              | "                        | "
            <hangup 99999         | >remoteHangup             | "                        | "                              | "                        | "
            <candidate            | addCandidate              | "                        | "                              | "                        | "
            <gone                 | ~                         | "                        | "                              | "                        | "
            <error 404            | .                         | "                        | "                              | "                        | "
            <error 480            | ~                         | "                        | "                              | "                        | "
            <error 400            | .                         | "                        | "                              | "                        | "
            <invite g3            | .                         | "                        | "                              | "                        | "
            <ringing g3           | .                         | "                        | "                              | "                        | "
            <progress g3          | .                         | "                        | "                              | "                        | "
            <accept g3            | .                         | "                        | "                              | "                        | "
            <accept sdp g3        | .                         | "                        | "                              | "                        | "
            <reject 603 g3        | .                         | "                        | "                              | "                        | "
            <reject 486 g3        | .                         | "                        | "                              | "                        | "
            <cancel 9900 g3       | .                         | >remoteCancelled         | "                              | .                        | >remoteCancelled
            <cancel 487 g3        | .                         | >remoteRingTimeout       | "                              | .                        | >remoteRingTimeout
            <hangup 9900 g3       | >remoteHangup             | "                        | "                              | "                        | "
            <hangup 408 g3        | >remoteConnectTimeout     | "                        | "                              | "                        | "
            <hangup 9906 g3       | >remoteFailed             | "                        | "                              | "                        | "
            <hangup 99999 g3      | >remoteHangup             | "                        | "                              | "                        | "
            <candidate g3         | .                         | "                        | "                              | "                        | "
            <gone g3              | ~                         | "                        | "                              | "                        | "
            <error 404 g3         | .                         | "                        | "                              | "                        | "
            <error 480 g3         | ~                         | "                        | "                              | "                        | "
            <error 400 g3         | .                         | "                        | "                              | "                        | "
            inviteFailed          | .                         | "                        | "                              | "                        | "
            signalingLost         | told                      | "                        | "                              | "                        | "
            signalingRestored     | query told                | "                        | "                              | "                        | "
            audit                 | query                     | "                        | "                              | "                        | "
            yield                 | .                         | "                        | "                              | "                        | "
            offerCreated          | .                         | "                        | "                              | "                        | "
            answerCreated         | .                         | "                        | "                              | "                        | "
            candidate             | candidate                 | "                        | "                              | "                        | "
            iceConnected          | .                         | "                        | "                              | "                        | "
            dtlsConnected         | ~                         | "                        | "                              | "                        | "
            firstVideoFrame       | ~                         | "                        | "                              | "                        | "
            firstAudioSample      | .                         | "                        | "                              | "                        | "
            firstVideoShown       | .                         | "                        | "                              | "                        | "
            firstAudioHeard       | .                         | "                        | "                              | "                        | "
            interrupted           | +mediaLost >reconnecting  | "                        | "                              | ~                        | +mediaLost >reconnecting
            resumed               | .                         | "                        | "                              | "                        | "
            failed s              | hangup >securityFailed    | "                        | "                              | "                        | "
            failed i              | hangup >incompatibleMedia | "                        | "                              | "                        | "
            failed o              | hangup >mediaFailed       | "                        | "                              | "                        | "
            timer ring            | .                         | "                        | "                              | "                        | "
            timer connect         | .                         | "                        | "                              | "                        | "
            timer mediaLost       | .                         | "                        | "                              | "                        | "
            timer peerGone        | .                         | "                        | "                              | "                        | "
            timer fork            | .                         | "                        | "                              | "                        | "
            timer change          | rollback close told       | told                     | rollback close told            | +change                  | rollback close told
            timer audioGrace      | .                         | "                        | "                              | "                        | "
            hold                  | .                         | "                        | "                              | "                        | "
            unhold                | .                         | "                        | "                              | "                        | "
            setSending off        | state gates gates         | state gates              | state gates gates              | "                        | "
            setSending on         | .                         | "                        | state gates                    | .                        | state gates
            sendInfo              | info                      | "                        | "                              | "                        | "
            <info                 | told                      | "                        | "                              | "                        | "
            <state off            | told                      | "                        | "                              | "                        | "
            <state on             | .                         | "                        | "                              | "                        | "
            <state hold           | gates gates told          | gates told               | gates gates told               | "                        | "
            <query                | status                    | "                        | "                              | "                        | "
            <status               | .                         | "                        | "                              | "                        | "
            <error 481            | >unknownCall              | "                        | "                              | "                        | "
            changeMedia video     | .                         | "                        | "                              | "                        | "
            changeMedia audio     | .                         | "                        | "                              | "                        | "
            <renegotiate audio    | .                         | "                        | "                              | "                        | "
            <renegotiate video    | .                         | "                        | "                              | "                        | "
            <offer audio g1       | .                         | +change makeAnswer gates | .                              | "                        | "
            <offer video g1       | .                         | +change makeAnswer gates | .                              | "                        | "
            <answer g1            | setAnswer                 | .                        | "                              | "                        | "
            <commit g1            | ~                         | .                        | ~                              | close told               | .
            <rollback g1          | close told                | .                        | close told                     | close gates told         | close told
            offerCreated g1       | .                         | "                        | "                              | "                        | "
            answerCreated g1      | .                         | "                        | "                              | "                        | "
            candidate g1          | candidate                 | .                        | candidate                      | "                        | "
            iceConnected g1       | .                         | "                        | "                              | "                        | "
            dtlsConnected g1      | ~                         | .                        | ~                              | .                        | ~
            firstVideoFrame g1    | commit gates gates        | .                        | commit gates gates             | .                        | commit close gates told
            firstAudioSample g1   | ~                         | .                        | ~                              | "                        | "
            firstVideoShown g1    | .                         | "                        | "                              | "                        | "
            firstAudioHeard g1    | .                         | "                        | "                              | "                        | "
            interrupted g1        | ~                         | .                        | ~                              | +mediaLost >reconnecting | ~
            resumed g1            | .                         | "                        | "                              | "                        | "
            failed s g1           | rollback close told       | .                        | rollback close told            | hangup >mediaFailed      | rollback close told
            failed i g1           | rollback close told       | .                        | rollback close told            | hangup >mediaFailed      | rollback close told
            failed o g1           | rollback close told       | .                        | rollback close told            | hangup >mediaFailed      | rollback close told
            <offer audio g2       | .                         | +change makeAnswer gates | close +change makeAnswer gates | .                        | close +change makeAnswer gates
            <offer video g2       | .                         | +change makeAnswer gates | close +change makeAnswer gates | .                        | close +change makeAnswer gates
            <answer g2            | .                         | "                        | "                              | "                        | "
            <commit g2            | .                         | "                        | "                              | "                        | "
            <rollback g2          | .                         | "                        | "                              | "                        | "
            offerCreated g2       | .                         | "                        | "                              | "                        | "
            answerCreated g2      | .                         | "                        | "                              | "                        | "
            candidate g2          | .                         | "                        | "                              | "                        | "
            iceConnected g2       | .                         | "                        | "                              | "                        | "
            dtlsConnected g2      | .                         | "                        | "                              | "                        | "
            firstVideoFrame g2    | .                         | "                        | "                              | "                        | "
            firstAudioSample g2   | .                         | "                        | "                              | "                        | "
            firstVideoShown g2    | .                         | "                        | "                              | "                        | "
            firstAudioHeard g2    | .                         | "                        | "                              | "                        | "
            interrupted g2        | .                         | "                        | "                              | "                        | "
            resumed g2            | .                         | "                        | "                              | "                        | "
            failed s g2           | .                         | "                        | "                              | "                        | "
            failed i g2           | .                         | "                        | "                              | "                        | "
            failed o g2           | .                         | "                        | "                              | "                        | "
            <ringing d1           | .                         | "                        | "                              | "                        | "
            <progress d1          | .                         | "                        | "                              | "                        | "
            <accept d1            | .                         | "                        | "                              | "                        | "
            <accept sdp d1        | .                         | "                        | "                              | "                        | "
            <reject 603 d1        | .                         | "                        | "                              | "                        | "
            <reject 486 d1        | .                         | "                        | "                              | "                        | "
            <cancel 200 not d1 d1 | .                         | >answeredElsewhere       | "                              | .                        | >answeredElsewhere
            <cancel 200 not d2 d1 | .                         | >answeredElsewhere       | "                              | .                        | >answeredElsewhere
            <cancel 603 not d2 d1 | .                         | >declinedElsewhere       | "                              | .                        | >declinedElsewhere
            <hangup 9900 d1       | >remoteHangup             | "                        | "                              | "                        | "
            <candidate d1         | addCandidate              | "                        | "                              | "                        | "
            <gone d1              | ~                         | "                        | "                              | "                        | "
            <error 481 d1         | >unknownCall              | "                        | "                              | "                        | "
            <ringing d2           | .                         | "                        | "                              | "                        | "
            <progress d2          | .                         | "                        | "                              | "                        | "
            <accept d2            | .                         | "                        | "                              | "                        | "
            <accept sdp d2        | .                         | "                        | "                              | "                        | "
            <reject 603 d2        | .                         | "                        | "                              | "                        | "
            <reject 486 d2        | .                         | "                        | "                              | "                        | "
            <cancel 200 not d1 d2 | .                         | >answeredElsewhere       | "                              | .                        | >answeredElsewhere
            <cancel 200 not d2 d2 | .                         | >answeredElsewhere       | "                              | .                        | >answeredElsewhere
            <cancel 603 not d2 d2 | .                         | >declinedElsewhere       | "                              | .                        | >declinedElsewhere
            <hangup 9900 d2       | >remoteHangup             | "                        | "                              | "                        | "
            <candidate d2         | addCandidate              | "                        | "                              | "                        | "
            <gone d2              | ~                         | "                        | "                              | "                        | "
            <error 481 d2         | >unknownCall              | "                        | "                              | "                        | "
            """)
}
