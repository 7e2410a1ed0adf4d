// The end of a call.

import { codeOf, farewellCode } from "./end-reason.js";
import { bounded, isInteger, limits } from "./limits.js";
import { cancelTimer, timers } from "./rules-words.js";

/** Ends the call and sends the peer a farewell. */
export function finish(rules, reason, { code, text = "", by }) {
  // With an invalid code the message could not be sent, and the peer would keep ringing.
  const sentCode = isInteger(code, 0, limits.code) ? code : undefined;
  // The caller does not know of an accept that has not gone out: for the caller, this end still rings.
  const isAccepted = rules.phase === "accepted" && !rules.isAcceptPending;
  const type = isAccepted ? "hangup" : rules.role === "caller" ? "cancel" : "reject";
  // The text may name local files and devices.
  const words = reason === "mediaFailed" ? "" : bounded(text);
  const message = rules.say({ type, code: sentCode ?? farewellCode(reason), text: words });
  const isKnown = rules.role === "callee" || rules.isInviteSent;
  const end = close(rules, { reason, code: sentCode ?? codeOf(reason), text, by });
  // A callee that was never invited does not know the call.
  return isKnown ? [message, ...end] : end;
}

/** Ends the call without a farewell: the peer knows, or cannot be reached. */
export function leave(rules, reason, { code, text }, by = "peer") {
  return close(rules, { reason, code: code ?? codeOf(reason), text: text ?? "", by });
}

function close(rules, end) {
  rules.phase = "ended";
  rules.end = end;
  return [...timers.map(cancelTimer), { do: "stopMedia" }, rules.report(end.reason, end.by)];
}
