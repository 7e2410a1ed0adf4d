// The media gates, derived from all other facts after every event.

/** Commands for all gates that have to change. */
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
  // A callee sends no media before it accepts, unless its policy is `full`.
  const maySend = rules.phase === "accepted" || rules.role === "caller" || rules.earlyMedia === "full";
  if (!maySend) return { audio: "closed", video: "closed", isReceiving: false };
  const isHeld = rules.hold !== "none";
  return {
    audio: generation.media.audio ? gate(rules.own.audio, isHeld, rules.audioWhileHeld) : "closed",
    video: generation.media.video ? gate(rules.own.video, isHeld, "closed") : "closed",
    isReceiving: rules.phase === "accepted" && rules.hasFirstFrame && !isHeld && generation === rules.shown,
  };
}

/** off: nothing is sent, the device is closed; closed: nothing is sent, the device stays open; blank: silence or black. */
function gate(sending, isHeld, whileHeld) {
  if (sending === "off") return "off";
  if (isHeld) return whileHeld;
  return sending === "muted" ? "blank" : "live";
}
