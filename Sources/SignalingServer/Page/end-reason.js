// The reasons why a call ends, and their codes in messages (docs/call-states.md, "The end").

const codes = {
  localHangup: 9901, localCancelled: 9901, remoteHangup: 9900, remoteCancelled: 9900,
  localRejected: 603, remoteRejected: 603, declinedElsewhere: 603, answeredElsewhere: 200, unknownCall: 481,
  remoteBusy: 486, ringTimeout: 487, remoteRingTimeout: 487, connectTimeout: 408, remoteConnectTimeout: 408,
  unknownUser: 404, offline: 480, incompatibleMedia: 488, remoteLost: 9906, mediaLost: 9906, mediaFailed: 9906,
  securityFailed: 9906, signalingFailed: 9906, remoteFailed: 9906,
};

/** The reason's own code. */
export function codeOf(reason) {
  return codes[reason];
}

/** The code in the farewell to the peer if this end ends the call for that reason. */
export function farewellCode(reason) {
  return reason === "localHangup" || reason === "localCancelled" ? codes.remoteHangup : codes[reason];
}

/** What the code of a `reject`, `cancel` or `hangup` means to its receiver. */
export function reasonForFarewell(code, otherwise) {
  return { 487: "remoteRingTimeout", 408: "remoteConnectTimeout", 488: "incompatibleMedia", 9906: "remoteFailed" }[code]
    ?? otherwise;
}

/** What a `reject` means to the caller. */
export function reasonForReject(code) {
  return code === codes.remoteBusy ? "remoteBusy" : reasonForFarewell(code, "remoteRejected");
}

/** What a `cancel` means to the callee. */
export function reasonForCancel(message) {
  if (message.code === codes.answeredElsewhere) return "answeredElsewhere";
  if (message.code === codes.declinedElsewhere && message.winner) return "declinedElsewhere";
  return reasonForFarewell(message.code, "remoteCancelled");
}

/** Whether a refusal is only about the device that sent it, not about its user. */
export function isOfOneDevice(code) {
  return [486, 480, 487, 488, 9906].includes(code);
}

const words = {
  localHangup: "You hung up", remoteHangup: "The other side hung up", localCancelled: "You cancelled the call",
  remoteCancelled: "The caller cancelled", localRejected: "You declined", remoteRejected: "Declined",
  remoteBusy: "Busy", ringTimeout: "No answer", remoteRingTimeout: "No answer",
  connectTimeout: "No media arrived", remoteConnectTimeout: "No media arrived at the other side",
  unknownUser: "No user with that name", offline: "Not online", incompatibleMedia: "No common media format",
  remoteLost: "The other side is gone", mediaLost: "The connection was lost", mediaFailed: "The media failed",
  securityFailed: "The encryption could not be verified", signalingFailed: "The call could not be placed",
  remoteFailed: "The other side failed", answeredElsewhere: "Answered on another device",
  declinedElsewhere: "Declined on another device", unknownCall: "The other side no longer has the call",
};

/** The reason as text for the user. */
export function describeEnd(end) {
  return words[end.reason] ?? end.reason;
}
