// Handles the messages of the peer.

import { takeChangeMessage } from "./rules-change.js";
import { accepted, callIsUnknown, rings, takeEndMessage } from "./rules-devices.js";
import { leave } from "./rules-end.js";
import { peerRestarts } from "./rules-path.js";
import { ignored, inviteId, notify, sameState } from "./rules-words.js";

const setUpTypes = ["invite", "ringing", "progress", "accept", "candidate"];
const changeTypes = ["offer", "answer", "renegotiate", "commit", "rollback"];

/** Whether the message shows that the peer is alive: an error is mostly from the server. */
export function isSignOfLife({ type }) {
  return type !== "gone" && type !== "error";
}

/** Applies one message of the peer, or of the server about it. */
export function takeMessage(rules, message) {
  const { type, device } = message;
  if (rules.role === "caller" && !rules.isInviteSent) return ignored("an answer to no invite");
  // Once a device has accepted, the others are ignored.
  if (device !== undefined && rules.peerDevice !== undefined && device !== rules.peerDevice) {
    return ignored("a message of another device of the peer");
  }
  if (isSignOfLife(message)) rules.peerPresence = "here";
  if (setUpTypes.includes(type)) return setUp(rules, message);
  if (changeTypes.includes(type)) return takeChangeMessage(rules, message);
  if (type === "gone") return peerIsGone(rules, device);
  if (type === "error") return takeError(rules, message);
  if (type === "status" || type === "skip") return [];
  if (rules.phase === "idle") return ignored(`a ${type} before the call`);
  switch (type) {
    case "iceRestart": return peerRestarts(rules, message);
    case "reject": case "cancel": case "hangup": return takeEndMessage(rules, message);
    case "state": return setPeer(rules, message.state);
    case "info": return [notify("info", { content: message.content })];
    case "query": return [rules.say({ type: "status", callState: rules.state })];
    default: return ignored(`a ${type}`);
  }
}

/** Handles the messages about the first peer connection. */
function setUp(rules, message) {
  const { type, device } = message;
  if (type === "candidate") return takeCandidate(rules, message);
  if (message.generation !== rules.current.number && type !== "ringing") {
    return ignored(`a ${type} of generation ${message.generation}`);
  }
  const isCalling = rules.role === "caller" && rules.phase === "calling";
  const isRinging = rules.role === "caller" && rules.phase === "ringing";
  if (type === "invite" && rules.role === "callee" && rules.phase === "idle") return ring(rules, message);
  if (type === "ringing" && isCalling) return [...rings(rules, device), ...rules.enter("ringing", "ringing", "peer")];
  if (type === "ringing" && isRinging) return rings(rules, device);
  if (type === "progress" && (isCalling || isRinging)) {
    const effects = [...rings(rules, device), ...takeAnswer(rules, message.sdp, message.state, device)];
    // A progress also means ringing, if the `ringing` was lost.
    if (isCalling) effects.push(...rules.enter("ringing", "ringing", "peer"));
    return effects;
  }
  if (type === "accept" && (isCalling || isRinging)) return accepted(rules, message);
  return ignored(`a ${type} to a ${rules.role} in ${rules.state}`);
}

function ring(rules, invite) {
  rules.peerDevice = invite.device;
  rules.peer = invite.state ?? rules.peer;
  const effects = [rules.say({ type: "ringing" })];
  if (rules.earlyMedia === "off") {
    rules.current.pendingOffer = invite.sdp;
  } else {
    rules.current.isBuilt = true;
    effects.push({ do: "createAnswer", offer: invite.sdp, media: rules.media, generation: 0 });
  }
  const milliseconds = Math.min(invite.ringTimeoutMs, rules.timeouts.ring);
  effects.push({ do: "startTimer", timer: "ring", milliseconds });
  return [...effects, ...rules.enter("ringing", "invited", "peer")];
}

function takeCandidate(rules, { candidate, mLine, generation, device }) {
  const isUnderWay = generation === rules.current.number || generation === rules.next?.number;
  if (rules.phase === "idle" || !isUnderWay) return ignored(`a candidate of generation ${generation}`);
  const answered = rules.current.device;
  if (generation === rules.current.number && device && answered && device !== answered) {
    return ignored("a candidate of a device whose answer was not taken");
  }
  return [{ do: "addCandidate", candidate, mLine, generation }];
}

/** Only the first answer to an offer is applied. */
export function takeAnswer(rules, sdp, state, device) {
  if (rules.current.isAnswered) return ignored("a second answer");
  rules.current.isAnswered = true;
  rules.current.device = device;
  return [...setPeer(rules, state), { do: "setAnswer", sdp, generation: rules.current.number }];
}

/** The peer reported what it sends; without a `state` nothing changed. */
export function setPeer(rules, state) {
  if (!state || sameState(state, rules.peer)) return [];
  const before = rules.hold;
  rules.peer = { audio: state.audio, video: state.video, hold: state.hold };
  const effects = [notify("peerMediaChanged", { state: rules.peer })];
  if (rules.hold !== before) effects.push(notify("holdChanged", { hold: rules.hold }));
  return effects;
}

function takeError(rules, error) {
  if (error.code === 481 && (rules.phase === "ringing" || rules.phase === "accepted")) {
    return callIsUnknown(rules, error);
  }
  // Before the callee's first message, the error is about the invite; later a single lost message does not end a call.
  if (rules.phase === "calling" && rules.role === "caller" && (error.ref ?? inviteId) === inviteId) {
    return leave(rules, { 404: "unknownUser", 480: "offline" }[error.code] ?? "signalingFailed", error);
  }
  // The server also says so of a peer whose network fails for a while. Then the call ends only if media stays away.
  const isConnected = rules.phase === "accepted" && rules.shown.isVerified;
  if (error.code === 480 && !isConnected) return peerIsGone(rules, error.device);
  return ignored(`the error ${error.code} ${error.text ?? ""}`);
}

/** The call continues while media flows. */
function peerIsGone(rules, device) {
  if (device !== undefined && rules.phase === "ringing" && rules.role === "caller") {
    rules.ringingDevices.delete(device);
    // The others keep ringing.
    if (rules.ringingDevices.size > 0) return [];
  }
  if (rules.peerPresence !== "here") return [];
  rules.peerPresence = "leaving";
  return rules.start("peerGone");
}
