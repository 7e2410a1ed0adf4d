// What the gates of the media let through, derived from everything else after every event.

/** Commands for all gates that are to change. */
export function changedGates(rules) {
  const effects = [];
  for (const generation of [rules.current, rules.next]) {
    if (!generation?.isBuilt) continue;
    const gates = gatesOf(rules, generation);
    const before = generation.gates;
    if (gates.audio === before.audio && gates.video === before.video && gates.isReceiving === before.isReceiving) {
      continue;
    }
    generation.gates = gates;
    effects.push({ do: "setGates", gates, generation: generation.number });
  }
  return effects;
}

function gatesOf(rules, generation) {
  // A callee lets nothing out before it accepts, unless its owner said so.
  const maySend = rules.phase === "accepted" || rules.role === "caller" || rules.earlyMedia === "full";
  if (!maySend) return { audio: "closed", video: "closed", isReceiving: false };
  const isHeld = rules.hold !== "none";
  return {
    audio: generation.media.audio ? gate(rules.own.audio, isHeld, rules.soundWhileHeld) : "closed",
    video: generation.media.video ? gate(rules.own.video, isHeld, "closed") : "closed",
    isReceiving: rules.phase === "accepted" && rules.hasFirstFrame && !isHeld && generation === rules.shown,
  };
}

/** off: nothing leaves, the device is let go; closed: nothing leaves, the device stays warm; blank: silence or black. */
function gate(sending, isHeld, whileHeld) {
  if (sending === "off") return "off";
  if (isHeld) return whileHeld;
  return sending === "muted" ? "blank" : "live";
}
