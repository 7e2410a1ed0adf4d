// Handles the facts that the media of a generation reports.

import { connectionFailed, rollBack } from "./rules-change.js";
import { finish } from "./rules-end.js";
import { takePathFact } from "./rules-path.js";
import { ignored, notify } from "./rules-words.js";

/** Applies one fact: `{ type, … }`. */
export function takeMediaFact(rules, fact, number) {
  const { current, next } = rules;
  if (number !== next?.number && number !== current.number) return ignored(`media of generation ${number}`);
  const effects = takePathFact(rules, number === next?.number ? next : current, fact);
  if (effects) return effects;
  if (number === next?.number) return takeNextFact(rules, next, fact);
  switch (fact.type) {
    case "offerCreated": return offer(rules, fact.sdp);
    case "answerCreated": return answer(rules, fact.sdp);
    case "localCandidate": return trickle(rules, fact);
    case "failed": return failed(rules, fact);
    case "warning": return [notify("mediaWarning", { text: fact.text })];
    case "captureFailed": return captureFailed(rules, fact);
    default:
      note(current, fact);
      return [];
  }
}

function note(generation, fact) {
  switch (fact.type) {
    case "verified": generation.isVerified = true; break;
    case "firstVideoFrame": generation.hasVideoFrame = true; break;
    case "firstAudioSample": generation.hasAudioSample = true; break;
    case "interrupted": generation.isInterrupted = true; break;
    case "resumed": generation.isInterrupted = generation.failure !== undefined; break;
    default: break;
  }
}

function failed(rules, { fault, text }) {
  if (fault === "security") return finish(rules, "securityFailed", { text, by: "peer" });
  if (fault === "incompatible") return finish(rules, "incompatibleMedia", { text, by: "peer" });
  return connectionFailed(rules, text);
}

/** This medium is off until the user turns it on again, whichever peer connection the device was opened for. */
function captureFailed(rules, { medium, text }) {
  rules.own = { ...rules.own, [medium]: "off" };
  return [notify("captureFailed", { medium, text })];
}

function candidateBody({ candidate, mLine }) {
  return { type: "candidate", candidate, mLine };
}

function takeHeldCandidates(generation) {
  return generation.heldCandidates.splice(0);
}

function offer(rules, sdp) {
  const { current } = rules;
  if (rules.role !== "caller" || rules.phase === "idle" || current.isOffered) {
    return ignored("an offer that nobody waits for");
  }
  current.isOffered = true;
  const body = current.number === 0
    ? { type: "invite", media: rules.media, ringTimeoutMs: rules.timeouts.ring, sdp, ...rules.takeUnsentState() }
    : { type: "offer", media: rules.media, sdp };
  return [rules.say(body), ...takeHeldCandidates(current).map((one) => rules.say(candidateBody(one)))];
}

/** Whether a callee has to make its answer, or has made it. */
function isAnswerAsked(rules) {
  return rules.role === "callee" && rules.phase !== "idle" && rules.current.pendingOffer === undefined;
}

function answer(rules, sdp) {
  const { current } = rules;
  if (!isAnswerAsked(rules) || current.isAnswered) return ignored("an answer that nobody waits for");
  current.isAnswered = true;
  if (current.number > 0) return [rules.say({ type: "answer", sdp })];
  if (rules.phase === "accepted") return [rules.say({ type: "accept", sdp, ...rules.stateForAccept() })];
  return [rules.say({ type: "progress", sdp, ...rules.takeUnsentState() })];
}

function trickle(rules, fact) {
  if (rules.role === "caller" && !rules.current.isOffered) {
    rules.current.heldCandidates.push(fact);
    return [];
  }
  if (rules.role === "callee" && !isAnswerAsked(rules)) return ignored("a candidate that the caller is not to know yet");
  return [rules.say(candidateBody(fact))];
}

/** Handles a fact about the next peer connection; a failure there does not end the call. */
function takeNextFact(rules, next, fact) {
  switch (fact.type) {
    case "offerCreated": {
      if (rules.role !== "caller" || next.isOffered) return ignored("a description that nobody waits for");
      next.isOffered = true;
      const body = { type: "offer", media: next.media, sdp: fact.sdp };
      return [rules.say(body, next), ...takeHeldCandidates(next).map((one) => rules.say(candidateBody(one), next))];
    }
    case "answerCreated":
      if (rules.role !== "callee" || next.isAnswered) return ignored("a description that nobody waits for");
      next.isAnswered = true;
      return [rules.say({ type: "answer", sdp: fact.sdp }, next)];
    case "localCandidate":
      if (rules.role !== "caller" || next.isOffered) return [rules.say(candidateBody(fact), next)];
      next.heldCandidates.push(fact);
      return [];
    case "failed":
      // This end has committed to the new one, so it cannot go back.
      return next.isCommittedHere ? finish(rules, "mediaFailed", { text: fact.text, by: "local" })
        : rollBack(rules, fact.text);
    case "warning": return [notify("mediaWarning", { text: fact.text })];
    case "captureFailed": return captureFailed(rules, fact);
    default:
      note(next, fact);
      return [];
  }
}
