// Several devices of the callee; both users call each other; farewells of the peer.

import { codeOf, isOfOneDevice, reasonForCancel, reasonForFarewell, reasonForReject } from "./end-reason.js";
import { finish, leave } from "./rules-end.js";
import { setPeer, takeAnswer } from "./rules-messages.js";
import { cancelTimer, everything, ignored, makeGeneration, notify } from "./rules-words.js";

/** A device of the callee rings. */
export function rings(rules, device) {
  if (device === undefined || rules.ringingDevices.has(device)) return [];
  rules.ringingDevices.add(device);
  return [notify("deviceRings", { device })];
}

/** The first device that accepts gets the call. */
export function accepted(rules, { sdp, state, device }) {
  const effects = [];
  // Sent to all of them; the winner knows its own name.
  if (device !== undefined) effects.push(notifyOtherDevices(rules, "answeredElsewhere", device));
  rules.peerDevice = device;
  effects.push(...setPeer(rules, state ?? everything));
  if (rules.current.isAnswered && device !== rules.current.device) {
    effects.push(...replaceCurrent(rules));
  } else if (sdp !== undefined && sdp !== null) {
    effects.push(...takeAnswer(rules, sdp, undefined, device));
  } else if (!rules.current.isAnswered) {
    return finish(rules, "incompatibleMedia", { text: "the peer accepted without an answer", by: "peer" });
  }
  if (device !== undefined && rules.isStateSentToAll) effects.push(rules.repeatState());
  if (rules.refusal) effects.push(cancelTimer("fork"));
  return [...effects, ...rules.enterAccepted("accepted", "peer")];
}

/** A device accepted whose answer was not applied: it needs a separate offer. */
function replaceCurrent(rules) {
  const old = rules.current;
  rules.hasFirstFrame = false;
  rules.isInterrupted = false;
  rules.highest += 1;
  rules.current = makeGeneration(rules.highest, old.media);
  rules.current.isBuilt = true;
  return [
    { do: "close", generation: old.number },
    { do: "createOffer", media: old.media, generation: rules.current.number },
  ];
}

/** A `reject`, `cancel` or `hangup`. */
export function takeEndMessage(rules, message) {
  if (message.type === "reject") return refused(rules, message);
  if (message.type === "cancel") return cancelled(rules, message);
  // A device hung up; if its accept has not arrived yet, the others keep ringing.
  const isFirstWord = rules.role === "caller" && rules.phase !== "accepted" && message.device !== undefined;
  return [
    ...(isFirstWord ? [notifyOtherDevices(rules, "answeredElsewhere", message.device)] : []),
    ...leave(rules, reasonForFarewell(message.code, "remoteHangup"), message),
  ];
}

/** A device refused: only for itself, or for its user. */
function refused(rules, message) {
  if (rules.role !== "caller" || (rules.phase !== "calling" && rules.phase !== "ringing")) {
    return ignored(`a reject of a call that is ${rules.state}`);
  }
  const { device } = message;
  if (device === undefined) return leave(rules, reasonForReject(message.code), message);
  if (!isOfOneDevice(message.code)) {
    return [
      notifyOtherDevices(rules, "declinedElsewhere", device), ...leave(rules, reasonForReject(message.code), message),
    ];
  }
  rules.ringingDevices.delete(device);
  rules.refusal = message;
  // Ringing devices may still accept; it is not known yet whether others will ring.
  return rules.ringingDevices.size === 0 ? rules.start("fork") : [];
}

/** The timer `fork` ran out. */
export function forkTimedOut(rules) {
  const isOpen = rules.phase === "calling" || rules.phase === "ringing";
  if (!rules.refusal || rules.ringingDevices.size > 0 || !isOpen) return [];
  // A slow device must not begin to ring afterwards.
  return [
    notifyOtherDevices(rules, "remoteCancelled"), ...leave(rules, reasonForReject(rules.refusal.code), rules.refusal),
  ];
}

/** The caller gave up, or another device has the call. */
function cancelled(rules, message) {
  if (rules.role !== "callee") return ignored("a cancel to a caller");
  if (message.winner && message.winner === rules.device) {
    return ignored("the others heard that this device has the call");
  }
  // Also after this end accepted: the cancel crossed the accept, and the caller has given up.
  return leave(rules, reasonForCancel(message), message);
}

/** A device reported that it has no such call. */
export function callIsUnknown(rules, error) {
  if (error.device !== undefined && rules.role === "caller" && rules.phase === "ringing") {
    if (!rules.ringingDevices.delete(error.device) || rules.ringingDevices.size > 0) {
      return ignored("a device that never rang has no such call, or others ring");
    }
  }
  return leave(rules, "unknownCall", error);
}

/** The message goes to all devices of the peer. */
function notifyOtherDevices(rules, reason, winner) {
  const body = { type: "cancel", code: codeOf(reason), text: "", ...(winner && { winner }) };
  return { do: "send", body, device: undefined, generation: rules.current.number };
}

/** Both users call each other, and both ends keep the call of the peer: this end becomes its callee.
 * Its user already asked for the call, so nothing rings a second time. */
export function yieldTo(rules, invite) {
  if (rules.role !== "caller" || !["idle", "calling", "ringing"].includes(rules.phase)) {
    return ignored("a call of the peer's that is not to be yielded to");
  }
  const effects = [];
  if (rules.isInviteSent) {
    const body = { type: "cancel", code: codeOf("answeredElsewhere"), text: "" };
    effects.push({ do: "send", body, device: undefined, generation: rules.current.number });
  }
  effects.push(
    { do: "close", generation: rules.current.number }, { do: "adopt" }, cancelTimer("fork"), cancelTimer("peerGone"));
  rules.role = "callee";
  rules.peerPresence = "here";
  rules.peerDevice = invite.device;
  rules.ringingDevices = new Set();
  rules.refusal = undefined;
  rules.peer = invite.state ?? everything;
  rules.sentState = everything;
  // The peer's call may have more media than this end's user asked for.
  const { audio, video } = rules.current.media;
  rules.own = { ...rules.own, ...(!audio && { audio: "off" }), ...(!video && { video: "off" }) };
  rules.current = makeGeneration(0, invite.media);
  rules.current.isBuilt = true;
  effects.push({ do: "createAnswer", offer: invite.sdp, media: invite.media, generation: 0 });
  return [...effects, ...rules.enterAccepted("glare", "peer")];
}
