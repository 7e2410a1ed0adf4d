// Several devices of the callee ring and one answers; both users call each other; what ends a call from afar.

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

/** The first device that accepts has the call. */
export function accepted(rules, { sdp, state, device }) {
  const effects = [];
  // Said to all of them; the one that has the call knows its own name.
  if (device !== undefined) effects.push(tellOthers(rules, "answeredElsewhere", device));
  rules.peerDevice = device;
  effects.push(...setPeer(rules, state ?? everything));
  if (rules.current.isAnswered && device !== rules.current.device) {
    effects.push(...replaceCurrent(rules));
  } else if (sdp !== undefined && sdp !== null) {
    effects.push(...takeAnswer(rules, sdp, undefined, device));
  } else if (!rules.current.isAnswered) {
    return finish(rules, "incompatibleMedia", { text: "the peer accepted without an answer", by: "peer" });
  }
  if (device !== undefined && rules.isToldToAll) effects.push(rules.tellAgain());
  if (rules.refusal) effects.push(cancelTimer("fork"));
  return [...effects, ...rules.enterAccepted("accepted", "peer")];
}

/** Another device answered than the one whose answer was taken: it needs an offer of its own. */
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
  // A device hung up; when its accept is still on its way, the others ring.
  const isFirstWord = rules.role === "caller" && rules.phase !== "accepted" && message.device !== undefined;
  return [
    ...(isFirstWord ? [tellOthers(rules, "answeredElsewhere", message.device)] : []),
    ...leave(rules, reasonForFarewell(message.code, "remoteHangup"), message),
  ];
}

/** A device refused: for itself alone, or for its user. */
function refused(rules, message) {
  if (rules.role !== "caller" || (rules.phase !== "calling" && rules.phase !== "ringing")) {
    return ignored(`a reject of a call that is ${rules.state}`);
  }
  const { device } = message;
  if (device === undefined) return leave(rules, reasonForReject(message.code), message);
  if (!isOfOneDevice(message.code)) {
    return [
      tellOthers(rules, "declinedElsewhere", device), ...leave(rules, reasonForReject(message.code), message),
    ];
  }
  rules.ringingDevices.delete(device);
  rules.refusal = message;
  // Those that ring may still take it; of the others it is not known yet whether they will ring.
  return rules.ringingDevices.size === 0 ? rules.start("fork") : [];
}

/** The time for other devices to ring is over. */
export function forkTimedOut(rules) {
  const isOpen = rules.phase === "calling" || rules.phase === "ringing";
  if (!rules.refusal || rules.ringingDevices.size > 0 || !isOpen) return [];
  // One that is only slow must not begin to ring afterwards.
  return [
    tellOthers(rules, "remoteCancelled"), ...leave(rules, reasonForReject(rules.refusal.code), rules.refusal),
  ];
}

/** The caller gave up, or another device has the call. */
function cancelled(rules, message) {
  if (rules.role !== "callee") return ignored("a cancel to a caller");
  if (message.winner && message.winner === rules.device) {
    return ignored("the others heard that this device has the call");
  }
  // Also after this end accepted: the cancel crossed the accept, and the caller is gone.
  return leave(rules, reasonForCancel(message), message);
}

/** A device says that it has no such call. */
export function callIsUnknown(rules, error) {
  if (error.device !== undefined && rules.role === "caller" && rules.phase === "ringing") {
    if (!rules.ringingDevices.delete(error.device) || rules.ringingDevices.size > 0) {
      return ignored("a device that never rang has no such call, or others ring");
    }
  }
  return leave(rules, "unknownCall", error);
}

/** The message goes to all devices of the peer. */
function tellOthers(rules, reason, winner) {
  const body = { type: "cancel", code: codeOf(reason), text: "", ...(winner && { winner }) };
  return { do: "send", body, device: undefined, generation: rules.current.number };
}

/** Both users call each other, and both ends keep the call of the peer: this one becomes its callee.
 * Its user has said that it wants the call, so nothing rings a second time. */
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
  rules.isPeerGone = false;
  rules.peerDevice = invite.device;
  rules.ringingDevices = new Set();
  rules.refusal = undefined;
  rules.peer = invite.state ?? everything;
  rules.told = everything;
  // The peer's call may have more than this end's user wanted to send.
  const { audio, video } = rules.current.media;
  rules.own = { ...rules.own, ...(!audio && { audio: "off" }), ...(!video && { video: "off" }) };
  rules.current = makeGeneration(0, invite.media);
  rules.current.isBuilt = true;
  effects.push({ do: "createAnswer", offer: invite.sdp, media: invite.media, generation: 0 });
  return [...effects, ...rules.enterAccepted("glare", "peer")];
}
