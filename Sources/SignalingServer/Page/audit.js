// How often the peer of a call is asked whether it still has it (docs/signaling.md, "Questions").

/** By what the call is at, in ms. */
export const auditMs = Object.freeze({ ringing: 5_000, accepted: 30_000 });

/** How often to look whom to ask. */
export const auditStepMs = Math.min(...Object.values(auditMs));

/** Whether the peer of a call in that state is asked now, so many steps after the begin. */
export function isAuditDue(state, steps) {
  const interval = state === "ringing" ? auditMs.ringing : auditMs.accepted;
  return steps % Math.round(interval / auditStepMs) === 0;
}
