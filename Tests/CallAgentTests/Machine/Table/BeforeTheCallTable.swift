@testable import CallAgent

extension StateEventTable {
    /// The states of the caller before the accept.
    // swift-format-ignore: a row is a line.
    static let beforeTheCall = StateEventTable(
        columns: [
            Column(name: "idle caller", machine: CallMachine(role: .caller, media: .audioVideo)),
            Column(name: "offer being made", machine: CallMachine(role: .caller, media: .audioVideo).after(.place)),
            Column(name: "calling", machine: .calling()),
            Column(name: "hears ringing", machine: .hearsRinging()),
            Column(
                name: "two devices ring",
                machine: CallMachine.calling().after(
                    .received(.ringing, device: "d1"), .received(.ringing, device: "d2"))),
        ],
        text: """
            place                       | makeOffer +ring gates >calling                    | .                | "                                                        | "                | "
            hangUp                      | >localCancelled                                   | "                | cancel >localCancelled                                   | "                | "
            setSending off              | ~                                                 | gates            | state gates                                              | "                | "
            sendInfo                    | .                                                 | "                | info                                                     | "                | "

            <ringing                    | .                                                 | "                | >ringing                                                 | .                | "
            <ringing d1                 | .                                                 | "                | notify >ringing                                          | notify           | .
            <ringing d2                 | .                                                 | "                | notify >ringing                                          | notify           | .
            <progress                   | .                                                 | "                | setAnswer >ringing                                       | setAnswer        | "
            <progress g3                | .                                                 | "                | "                                                        | "                | "
            <progress d1                | .                                                 | "                | setAnswer notify >ringing                                | setAnswer notify | setAnswer
            <progress d2                | .                                                 | "                | setAnswer notify >ringing                                | setAnswer notify | setAnswer
            <accept                     | .                                                 | "                | cancel >incompatibleMedia                                | "                | "
            <accept g3                  | .                                                 | "                | "                                                        | "                | "
            <accept sdp                 | .                                                 | "                | setAnswer +connect >connecting                           | "                | "
            <accept sdp g3              | .                                                 | "                | "                                                        | "                | "
            <accept sdp d1              | .                                                 | "                | cancel setAnswer +connect >connecting                    | "                | "
            <accept sdp d2              | .                                                 | "                | cancel setAnswer +connect >connecting                    | "                | "
            <reject 603                 | .                                                 | "                | >remoteRejected                                          | "                | "
            <reject 486                 | .                                                 | "                | >remoteBusy                                              | "                | "
            <reject 603 d1              | .                                                 | "                | cancel >remoteRejected                                   | "                | "
            <reject 486 d1              | .                                                 | "                | +fork                                                    | "                | ~
            <reject 603 d2              | .                                                 | "                | cancel >remoteRejected                                   | "                | "
            <reject 486 d2              | .                                                 | "                | +fork                                                    | "                | ~
            <hangup 9900                | .                                                 | "                | >remoteHangup                                            | "                | "
            <hangup 408                 | .                                                 | "                | >remoteConnectTimeout                                    | "                | "
            <hangup 9906                | .                                                 | "                | >remoteFailed                                            | "                | "
            <hangup 99999               | .                                                 | "                | >remoteHangup                                            | "                | "
            <hangup 9900 d1             | .                                                 | "                | cancel >remoteHangup                                     | "                | "
            <hangup 9900 d2             | .                                                 | "                | cancel >remoteHangup                                     | "                | "
            <candidate                  | .                                                 | "                | addCandidate                                             | "                | "
            <candidate g3               | .                                                 | "                | "                                                        | "                | "
            <state off                  | .                                                 | "                | notify                                                   | "                | "
            <state hold                 | .                                                 | "                | gates notify                                             | "                | "
            <info                       | .                                                 | "                | notify                                                   | "                | "
            <query                      | .                                                 | "                | status                                                   | "                | "
            <gone                       | .                                                 | "                | +peerGone                                                | "                | "
            <gone d1                    | .                                                 | "                | +peerGone                                                | "                | ~
            <gone d2                    | .                                                 | "                | +peerGone                                                | "                | ~
            <error 404                  | .                                                 | "                | >unknownUser                                             | .                | "
            <error 480                  | .                                                 | "                | >offline                                                 | +peerGone        | "
            <error 400                  | .                                                 | "                | >signalingFailed                                         | .                | "
            <error 481                  | .                                                 | "                | >signalingFailed                                         | >unknownCall     | "
            <error 481 d1               | .                                                 | "                | >signalingFailed                                         | .                | ~
            <error 481 d2               | .                                                 | "                | >signalingFailed                                         | .                | ~

            inviteFailed                | .                                                 | >signalingFailed | "                                                        | .                | "
            signalingLost               | notify                                            | "                | "                                                        | "                | "
            signalingRestored           | notify                                            | "                | "                                                        | query notify     | "
            audit                       | .                                                 | "                | "                                                        | query            | "
            yield                       | close adopt makeAnswer +connect gates >connecting | "                | cancel close adopt makeAnswer +connect gates >connecting | "                | "

            offerCreated                | .                                                 | invite           | .                                                        | "                | "
            candidate                   | ~                                                 | "                | candidate                                                | "                | "
            dtlsConnected               | ~                                                 | "                | "                                                        | "                | "
            firstVideoFrame             | ~                                                 | "                | "                                                        | "                | "
            firstAudioSample            | ~                                                 | "                | "                                                        | "                | "
            interrupted                 | ~                                                 | "                | "                                                        | "                | "
            networkChanged              | ~                                                 | "                | "                                                        | "                | "
            mediaMissing                | ~                                                 | "                | "                                                        | "                | "
            pathSilent                  | ~                                                 | "                | "                                                        | "                | "
            dtmf 5                      | notify                                            | "                | "                                                        | "                | "
            warning no device           | notify                                            | "                | "                                                        | "                | "
            recordingFailed full disk   | notify                                            | "                | "                                                        | "                | "
            captureFailed video lost    | notify                                            | gates notify     | state gates notify                                       | "                | "
            captureLost video lost      | notify                                            | "                | "                                                        | "                | "
            captureRestored video       | notify                                            | "                | "                                                        | "                | "
            videoAdapted 4x2            | notify                                            | "                | "                                                        | "                | "
            trackFailed video sending   | notify                                            | gates notify     | state gates notify                                       | "                | "
            trackFailed video receiving | notify                                            | "                | "                                                        | "                | "
            failed s                    | >securityFailed                                   | "                | cancel >securityFailed                                   | "                | "
            failed i                    | >incompatibleMedia                                | "                | cancel >incompatibleMedia                                | "                | "
            failed o                    | >mediaFailed                                      | "                | cancel >mediaFailed                                      | "                | "

            timer ring                  | .                                                 | >ringTimeout     | cancel >ringTimeout                                      | "                | "
            """)
}
