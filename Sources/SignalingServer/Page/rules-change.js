// A new peer connection replaces the current one: make before break, unless it has failed.
// Each end sends one message: `commit` if it has the other's media on the new one, else `rollback`. So both
// reach the same result: the new one if both committed, else the current one.

import { finish } from "./rules-end.js";
import { takeAnswer } from "./rules-messages.js";
import { abandonRestart } from "./rules-path.js";
import { cancelTimer, ignored, makeGeneration, notify, sameMedia } from "./rules-words.js";

/** How many failed connections a call replaces: a cause that comes back must not go on for ever. */
const maximumReplacements = 8;

/** The user wants other media: the caller makes the offer, the callee asks for it. */
export function changeMedia(rules, media) {
  // The end that asks for a medium sends it.
  for (const kind of added(rules, media)) rules.own = { ...rules.own, [kind]: "on" };
  if (rules.role === "caller") return open(rules, media);
  rules.askedMedia = media;
  return [rules.say({ type: "renegotiate", media }), ...rules.start("change")];
}

/** The current connection failed at this end. Another one replaces it, unless the call is not connected yet, the peer is gone, or too many failed. */
export function connectionFailed(rules, text) {
  const { current } = rules;
  if (current.failure !== undefined) return ignored(`a further failure of generation ${current.number}`);
  // This end has left it already.
  const isShown = !rules.next?.isCommittedHere;
  const isPossible = !isShown || rules.peerPresence !== "gone" && rules.replacements < maximumReplacements;
  if (!rules.hasFirstFrame || !isPossible) return finish(rules, "mediaFailed", { text, by: "local" });
  const abandoned = abandonRestart(rules, current);
  current.failure = text;
  current.isInterrupted = true;
  if (!isShown) return abandoned;
  rules.replacements += 1;
  const warning = notify("mediaWarning", { text: `another connection replaces the one that failed: ${text}` });
  // The new one gets as long as if the media had stopped now.
  const timer = rules.isInterrupted ? rules.start("mediaLost") : [];
  return [...abandoned, warning, ...timer, ...replaceFailed(rules)];
}

function replaceFailed(rules) {
  // A change that is under way brings another connection anyway.
  if (rules.next) return [];
  if (!rules.askedMedia) return changeMedia(rules, rules.current.media);
  // The caller may have ignored the request for other media.
  return [rules.say({ type: "renegotiate", media: rules.current.media }), ...rules.start("change")];
}

/** What the peer added is not sent, unless this end asked for it: its user has not agreed to that. */
function takeNewMedia(rules, media) {
  for (const kind of added(rules, media)) {
    if (!rules.askedMedia?.[kind]) rules.own = { ...rules.own, [kind]: "off" };
  }
  rules.askedMedia = undefined;
}

/** The kinds of `media` that the call does not have yet. */
function added(rules, media) {
  return ["audio", "video"].filter((kind) => media[kind] && !rules.current.media[kind]);
}

function open(rules, media) {
  rules.highest += 1;
  rules.next = makeGeneration(rules.highest, media);
  rules.next.isBuilt = true;
  return [{ do: "createOffer", media, generation: rules.highest }, ...rules.start("change")];
}

/** Handles the messages about the next peer connection. */
export function takeChangeMessage(rules, message) {
  if (rules.phase !== "accepted") return ignored(`a change of a call that is ${rules.state}`);
  const number = message.generation;
  switch (message.type) {
    case "offer": return takeOffer(rules, message);
    case "answer": return rules.role === "caller" ? answered(rules, message) : ignored("an answer to no offer");
    case "renegotiate": return renegotiate(rules, message.media, number);
    case "commit": return peerCommitted(rules, number);
    default: return peerRolledBack(rules, number);
  }
}

/** The other end gives the next connection up; or it is the caller, and refuses to make one. */
function peerRolledBack(rules, number) {
  if (!rules.next && number === rules.current.number && rules.askedMedia) {
    const effects = askedInVain(rules, "the caller makes no other connection");
    return rules.phase === "ended" ? effects : [cancelTimer("change"), ...effects];
  }
  if (rules.next?.number !== number) return ignored(`a rollback of generation ${number}`);
  return abandonNext(rules, "the other end does not receive");
}

function peerCommitted(rules, number) {
  if (number > 0 && number === rules.current.number && !rules.current.isCommittedThere) {
    rules.current.isCommittedThere = true;
    return [];
  }
  if (rules.next?.number !== number) return ignored(`a commit of generation ${number}`);
  rules.next.isCommittedThere = true;
  return completeIfAgreed(rules);
}

/** The callee wants other media, or the same media on another connection: its end of that generation has failed. */
function renegotiate(rules, media, number) {
  const isPossible = sameMedia(media, rules.current.media) ? number === rules.current.number : rules.hold === "none";
  if (rules.role !== "caller" || rules.next || !isPossible) return ignored("a change of media that is not possible now");
  if (!rules.hasFirstFrame) {
    rules.requestedMedia = media;
    return rules.start("change");
  }
  takeNewMedia(rules, media);
  return open(rules, media);
}

/** Offers what the callee asked for when it was connected and this end was not. */
export function offerRequestedMedia(rules) {
  const { requestedMedia } = rules;
  if (!requestedMedia) return [];
  rules.requestedMedia = undefined;
  return [cancelTimer("change"), ...renegotiate(rules, requestedMedia, rules.current.number)];
}

/** The caller offers another peer connection. */
function takeOffer(rules, { media, sdp, generation: number }) {
  if (rules.role !== "callee" || rules.isAcceptPending || number <= rules.highest) return ignored(`an offer of generation ${number}`);
  rules.highest = number;
  const generation = makeGeneration(number, media);
  generation.isBuilt = true;
  const { next } = rules;
  const effects = next ? [...abandonRestart(rules, next), { do: "close", generation: next.number }] : [];
  takeNewMedia(rules, media);
  if (rules.current.isVerified || rules.hasFirstFrame) {
    rules.next = generation;
    effects.push(...rules.start("change"));
  } else {
    // The caller did not apply this end's answer, so there is no media that could continue in the meantime.
    effects.push(...abandonRestart(rules, rules.current), { do: "close", generation: rules.current.number });
    rules.hasFirstFrame = false;
    rules.isInterrupted = false;
    rules.current = generation;
    rules.next = undefined;
  }
  return [...effects, { do: "createAnswer", offer: sdp, media, generation: number }];
}

function answered(rules, { sdp, generation: number }) {
  if (number === rules.current.number && number > 0) return takeAnswer(rules, sdp, undefined, rules.peerDevice);
  if (rules.next?.number !== number || rules.next.isAnswered) return ignored(`an answer of generation ${number}`);
  rules.next.isAnswered = true;
  return [{ do: "setAnswer", sdp, generation: number }];
}

/** Sends `commit` as soon as the peer's media is there on the next one. */
export function updateChange(rules) {
  const { current } = rules;
  // For the caller it is the next connection; for this end, which had no other, the only one.
  if (current.isCommittedThere && !current.isCommittedHere && rules.hasFirstFrame) {
    current.isCommittedHere = true;
    return [rules.say({ type: "commit" })];
  }
  if (!rules.next || rules.next.isCommittedHere || !rules.hasMedia(rules.next)) return [];
  rules.next.isCommittedHere = true;
  return [rules.say({ type: "commit" }, rules.next), ...completeIfAgreed(rules)];
}

function completeIfAgreed(rules) {
  if (!rules.next?.isCommittedHere || !rules.next.isCommittedThere) return [];
  const old = rules.current;
  const abandoned = abandonRestart(rules, old);
  rules.current = rules.next;
  rules.next = undefined;
  rules.askedMedia = undefined;
  return [
    ...abandoned, { do: "close", generation: old.number }, cancelTimer("change"),
    notify("mediaChanged", { media: rules.current.media }),
  ];
}

/** Gives up the next one and sends `rollback`; impossible once this end has committed. */
export function rollBack(rules, text) {
  if (!rules.next || rules.next.isCommittedHere) return [];
  // There is nothing to go back to.
  if (hasFailed(rules)) return endFailed(rules);
  return [rules.say({ type: "rollback" }, rules.next), ...abandonNext(rules, text)];
}

function abandonNext(rules, text) {
  if (!rules.next) return [];
  if (hasFailed(rules)) return endFailed(rules);
  const { number } = rules.next;
  const abandoned = abandonRestart(rules, rules.next);
  rules.next = undefined;
  rules.askedMedia = undefined;
  return [...abandoned, { do: "close", generation: number }, cancelTimer("change"), notify("mediaChangeFailed", { text })];
}

/** The timer `change` ran out. */
export function changeTimedOut(rules) {
  if (rules.next) {
    // This end has committed; only the peer can still roll back.
    return rules.next.isCommittedHere ? rules.start("change")
      : rollBack(rules, "no media of the other end arrived in time");
  }
  // The callee has given up by now.
  rules.requestedMedia = undefined;
  return rules.askedMedia ? askedInVain(rules, "the caller made no offer") : [];
}

function askedInVain(rules, text) {
  if (hasFailed(rules)) return endFailed(rules);
  rules.askedMedia = undefined;
  return [notify("mediaChangeFailed", { text })];
}

const hasFailed = (rules) => rules.current.failure !== undefined;

const endFailed = (rules) => finish(rules, "mediaFailed", { text: rules.current.failure, by: "local" });
