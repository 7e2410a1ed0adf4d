// How often an end asks the peer whether it still has the call (docs/signaling.md, "Questions").

/** The interval by the state of the call, in ms. */
export const auditMs = Object.freeze({ ringing: 5_000, accepted: 30_000 });

/** How often to check which peers to ask. */
export const auditStepMs = Math.min(...Object.values(auditMs));

/** Whether to ask the peer of a call in that state now, `steps` after the start. */
export function isAuditDue(state, steps) {
  const interval = state === "ringing" ? auditMs.ringing : auditMs.accepted;
  return steps % Math.round(interval / auditStepMs) === 0;
}
