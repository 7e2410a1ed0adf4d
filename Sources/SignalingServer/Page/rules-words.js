// The values that the rules of a call share.

/** How long the timers run, in ms. */
export const defaultTimeouts = Object.freeze({
  ring: 30_000, connect: 10_000, mediaLost: 30_000, peerGone: 2_000, fork: 300, change: 10_000, audioGrace: undefined,
  iceRestart: 3_000,
});

export const timers = Object.keys(defaultTimeouts);

/** The id of the first message of a caller, its invite. */
export const inviteId = "a1";

/** What one end sends by default. */
export const everything = Object.freeze({ audio: "on", video: "on", hold: false });

export const sameState = (a, b) => a.audio === b.audio && a.video === b.video && a.hold === b.hold;
export const sameMedia = (a, b) => a.audio === b.audio && a.video === b.video;
export const ignored = (text) => [{ do: "ignored", text }];
export const notify = (name, detail = {}) => ({ do: "notify", notice: { name, ...detail } });
export const cancelTimer = (timer) => ({ do: "cancelTimer", timer });

/** One peer connection of a call. Its number is never reused. */
export function makeGeneration(number, media) {
  return {
    number, media, isBuilt: false, pendingOffer: undefined, isAnswered: false, device: undefined, isOffered: false,
    heldCandidates: [], isVerified: false, isInterrupted: false, failure: undefined, hasVideoFrame: false, hasAudioSample: false,
    gates: { audio: "closed", video: "closed", isReceiving: false }, isCommittedHere: false, isCommittedThere: false,
    restart: { number: 0, isRunning: false, isWanted: false, hasOwnParameters: false, hasPeerParameters: false },
  };
}
