// The end of a call.

import { codeOf, farewellCode } from "./end-reason.js";
import { bounded, isInteger, limits } from "./limits.js";
import { cancelTimer, timers } from "./rules-words.js";

/** Ends the call and tells the peer. */
export function finish(rules, reason, { code, text = "", by }) {
  // A code that no message can carry would leave the peer ringing.
  const told = isInteger(code, 0, limits.code) ? code : undefined;
  // Of an accept that has not gone out the caller knows nothing: for it, this end still rings.
  const isAccepted = rules.phase === "accepted" && !rules.isAcceptOwed;
  const type = isAccepted ? "hangup" : rules.role === "caller" ? "cancel" : "reject";
  // What failed here is none of the peer's business.
  const words = reason === "mediaFailed" ? "" : bounded(text);
  const message = rules.say({ type, code: told ?? farewellCode(reason), text: words });
  const isKnown = rules.role === "callee" || rules.isInviteSent;
  const end = close(rules, { reason, code: told ?? codeOf(reason), text, by });
  // A callee that was never invited knows of no call.
  return isKnown ? [message, ...end] : end;
}

/** Ends the call without a word: the peer knows, or cannot be told. */
export function leave(rules, reason, { code, text }, by = "peer") {
  return close(rules, { reason, code: code ?? codeOf(reason), text: text ?? "", by });
}

function close(rules, end) {
  rules.phase = "ended";
  rules.end = end;
  return [...timers.map(cancelTimer), { do: "stopMedia" }, rules.report(end.reason, end.by)];
}
