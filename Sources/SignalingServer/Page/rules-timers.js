// What the timers of a call do when they run out (docs/call-states.md, "Timers").

import { changeTimedOut } from "./rules-change.js";
import { forkTimedOut } from "./rules-devices.js";
import { finish } from "./rules-end.js";
import { restartTimedOut } from "./rules-path.js";
import { notify } from "./rules-words.js";

/** Applies the end of a timer; a late one has no effect. */
export function timerFired(rules, timer) {
  const isBeforeAccept = rules.phase === "calling" || rules.phase === "ringing";
  if (timer === "ring" && isBeforeAccept) return finish(rules, "ringTimeout", { by: "local" });
  if (timer === "peerGone" && rules.peerPresence === "leaving") rules.peerPresence = "gone";
  if (timer === "fork") return forkTimedOut(rules);
  if (rules.phase !== "accepted") return [];
  if (timer === "connect" && !rules.hasFirstFrame) return finish(rules, "connectTimeout", { by: "local" });
  if (timer === "mediaLost" && rules.state === "reconnecting") return finish(rules, "mediaLost", { by: "peer" });
  if (timer === "change") return changeTimedOut(rules);
  if (timer === "iceRestart") return restartTimedOut(rules);
  if (timer === "audioGrace" && !rules.hasFirstFrame && rules.current.hasAudioSample) {
    rules.isVideoWaived = true;
    return [notify("videoPending")];
  }
  return [];
}
