@testable import CallAgent

extension StateEventTable {
    /// The states of the callee before the accept.
    // swift-format-ignore: a row is a line.
    static let ringing = StateEventTable(
        columns: [
            Column(name: "idle callee", machine: CallMachine(role: .callee, media: .audioVideo)),
            Column(name: "rings, full", machine: .ringing(.full)),
            Column(
                name: "rings, guarded",
                machine: CallMachine.ringing(.guarded, device: "d1").after(.answerCreated(sdp: "answer"))),
            Column(name: "rings, off", machine: .ringing(.off)),
        ],
        text: """
            accept                      | .                                 | +connect >connecting  | accept +connect gates >connecting | makeAnswer +connect gates >connecting
            reject 603                  | .                                 | reject >localRejected | "                                 | "
            reject -1                   | .                                 | reject >localRejected | "                                 | "
            hangUp                      | reject >localRejected             | "                     | "                                 | "
            setSending off              | ~                                 | gates                 | ~                                 | "
            sendInfo                    | .                                 | info                  | "                                 | "

            <invite                     | ringing makeAnswer +ring >ringing | .                     | "                                 | "
            <invite g3                  | .                                 | "                     | "                                 | "
            <cancel 9900                | .                                 | >remoteCancelled      | "                                 | "
            <cancel 487                 | .                                 | >remoteRingTimeout    | "                                 | "
            <cancel 200 not d1 d1       | .                                 | >answeredElsewhere    | .                                 | >answeredElsewhere
            <cancel 200 not d2 d1       | .                                 | >answeredElsewhere    | "                                 | "
            <cancel 603 not d2 d1       | .                                 | >declinedElsewhere    | "                                 | "
            <cancel 200 not d1 d2       | .                                 | >answeredElsewhere    | .                                 | >answeredElsewhere
            <cancel 200 not d2 d2       | .                                 | >answeredElsewhere    | "                                 | "
            <cancel 603 not d2 d2       | .                                 | >declinedElsewhere    | "                                 | "
            <hangup 9900                | .                                 | >remoteHangup         | "                                 | "
            <hangup 408                 | .                                 | >remoteConnectTimeout | "                                 | "
            <hangup 9906                | .                                 | >remoteFailed         | "                                 | "
            <hangup 99999               | .                                 | >remoteHangup         | "                                 | "
            <candidate                  | .                                 | addCandidate          | "                                 | "
            <candidate g3               | .                                 | "                     | "                                 | "
            <state off                  | .                                 | notify                | "                                 | "
            <state hold                 | .                                 | gates notify          | notify                            | "
            <info                       | .                                 | notify                | "                                 | "
            <query                      | .                                 | status                | "                                 | "
            <gone                       | +peerGone                         | "                     | "                                 | "
            <error 480                  | +peerGone                         | "                     | "                                 | "
            <error 481                  | .                                 | >unknownCall          | "                                 | "

            signalingLost               | notify                            | "                     | "                                 | "
            signalingRestored           | notify                            | query notify          | "                                 | "
            audit                       | .                                 | query                 | "                                 | "

            answerCreated               | .                                 | progress              | .                                 | "
            candidate                   | .                                 | candidate             | "                                 | .
            dtlsConnected               | ~                                 | "                     | "                                 | "
            firstVideoFrame             | ~                                 | "                     | "                                 | "
            firstAudioSample            | ~                                 | "                     | "                                 | "
            interrupted                 | ~                                 | "                     | "                                 | "
            networkChanged              | ~                                 | "                     | "                                 | "
            mediaMissing                | ~                                 | "                     | "                                 | "
            pathSilent                  | ~                                 | "                     | "                                 | "
            dtmf 5                      | notify                            | "                     | "                                 | "
            warning no device           | notify                            | "                     | "                                 | "
            recordingFailed full disk   | notify                            | "                     | "                                 | "
            captureFailed video lost    | notify                            | gates notify          | notify                            | "
            captureLost video lost      | notify                            | "                     | "                                 | "
            captureRestored video       | notify                            | "                     | "                                 | "
            videoAdapted 4x2            | notify                            | "                     | "                                 | "
            trackFailed video sending   | notify                            | gates notify          | notify                            | "
            trackFailed video receiving | notify                            | "                     | "                                 | "
            failed s                    | reject >securityFailed            | "                     | "                                 | "
            failed i                    | reject >incompatibleMedia         | "                     | "                                 | "
            failed o                    | reject >mediaFailed               | "                     | "                                 | "

            timer ring                  | .                                 | reject >ringTimeout   | "                                 | "
            """)
}
