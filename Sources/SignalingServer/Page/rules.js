// The rules of one call, seen from one end (docs/call-states.md): no clock, no media, no connection.
// Feed every event in the order in which it happened and carry out the returned effects in order. Late, duplicate and
// impossible events are normal on a network: their only effect is a line for the log.

import { codeOf } from "./end-reason.js";
import { changeMedia, offerRequestedMedia, updateChange } from "./rules-change.js";
import { yieldTo } from "./rules-devices.js";
import { finish, leave } from "./rules-end.js";
import { changedGates } from "./rules-gates.js";
import { takeMediaFact } from "./rules-media.js";
import { takeMessage } from "./rules-messages.js";
import { beginWantedRestart } from "./rules-path.js";
import { timerFired } from "./rules-timers.js";
import {
  cancelTimer, defaultTimeouts, everything, ignored, makeGeneration, notify, sameMedia, sameState,
} from "./rules-words.js";

export class Rules {
  /** idle, calling, ringing, accepted or ended. "Connected" is no phase: it is derived in `state`. */
  phase = "idle";
  end = undefined;
  next = undefined;
  highest = 0;
  sentState = everything;
  isStateSentToAll = false;
  peer = everything;
  peerDevice = undefined;
  ringingDevices = new Set();
  refusal = undefined;
  isWaitingForVideo = false;
  isVideoWaived = false;
  hasFirstFrame = false;
  isInterrupted = false;
  /** Of the peer's signaling connection: here, leaving (closed a moment ago) or gone. */
  peerPresence = "here";
  askedMedia = undefined;
  replacements = 0;
  requestedMedia = undefined;

  /** `audioWhileHeld` is the audio gate while the call is held: closed, or blank for silence. */
  constructor({
    role, media, earlyMedia = "guarded", timeouts = {}, device, sends = everything, audioWhileHeld = "closed",
  }) {
    this.role = role;
    this.audioWhileHeld = audioWhileHeld;
    this.earlyMedia = earlyMedia;
    this.timeouts = { ...defaultTimeouts, ...timeouts };
    this.device = device;
    this.own = { ...everything, ...sends };
    this.current = makeGeneration(0, media);
  }

  /** The peer connection whose media is shown once the gates open. */
  get shown() {
    return this.next?.isCommittedHere ? this.next : this.current;
  }

  get media() {
    return this.shown.media;
  }

  /** Who holds the call: none, held (this end), remotelyHeld or both. */
  get hold() {
    if (this.own.hold) return this.peer.hold ? "both" : "held";
    return this.peer.hold ? "remotelyHeld" : "none";
  }

  get state() {
    if (this.phase === "idle") return "calling";
    if (this.phase !== "accepted") return this.phase;
    if (!this.hasFirstFrame) return "connecting";
    return this.shown.isInterrupted ? "reconnecting" : "connected";
  }

  /** Whether the caller's invite went out. */
  get isInviteSent() {
    return this.role === "caller" && (this.current.isOffered || this.current.number > 0);
  }

  /** Whether a callee accepted, and its accept waits for its answer. */
  get isAcceptPending() {
    return this.role === "callee" && this.phase === "accepted" && !this.current.isAnswered && this.current.number === 0;
  }

  /** Whether the call is connected and no change of media is in progress. */
  get isStable() {
    return this.hasFirstFrame && !this.next && !this.askedMedia;
  }

  /** Applies one event. */
  handle(event) {
    if (this.end) return [];
    const effects = this.#apply(event);
    if (!this.end) effects.push(...this.#advance());
    if (this.end) return effects;
    const isReported = (effect) => effect.do === "report" || effect.do === "notify";
    // Reports to the user come last, when everything else is done.
    return [...effects.filter((one) => !isReported(one)), ...changedGates(this), ...effects.filter(isReported)];
  }

  #apply(event) {
    switch (event.type) {
      case "received": return takeMessage(this, event.message);
      case "media": return takeMediaFact(this, event.fact, event.generation);
      case "timer": return timerFired(this, event.timer);
      case "yield": return yieldTo(this, event.message);
      case "inviteFailed": return this.role === "caller" && this.phase === "calling"
        ? leave(this, "signalingFailed", { code: codeOf("signalingFailed"), text: event.text }, "local")
        : ignored(`a message was not sent: ${event.text}`);
      case "signalingLost": return [notify("signalingLost")];
      case "signalingRestored": return [notify("signalingRestored"), ...this.#audit()];
      case "audit": return this.#audit();
      default: return this.#userDoes(event);
    }
  }

  /** Asks the peer whether the call is still there: it may have ended without a farewell, or the farewell was lost.
   * A missing answer does not end the call: the media shows whether the peer is alive. */
  #audit() {
    return this.phase === "ringing" || this.phase === "accepted" ? [this.say({ type: "query" })] : [];
  }

  // Operations of the user.

  /** Whether an operation of the user is possible now. Hanging up always is. */
  allows(operation) {
    switch (operation.type) {
      case "place": return this.role === "caller" && this.phase === "idle";
      case "accept": case "reject": return this.role === "callee" && this.phase === "ringing";
      case "hold": return this.isStable && !this.own.hold;
      case "unhold": return this.own.hold;
      case "changeMedia":
        return this.isStable && this.hold === "none" && !sameMedia(operation.media, this.current.media);
      case "sendInfo": return this.isInviteSent || (this.role === "callee" && this.phase !== "idle");
      default: return true;
    }
  }

  #userDoes(event) {
    if (!this.allows(event)) return ignored(`${event.type} does not apply to a ${this.role} in ${this.state}`);
    switch (event.type) {
      case "place":
        this.current.isBuilt = true;
        return [
          { do: "createOffer", media: this.media, generation: 0 }, ...this.start("ring"),
          ...this.enter("calling", "placed", "local"),
        ];
      case "accept": return this.#accept();
      case "reject": return finish(this, "localRejected", { code: event.code, text: event.text, by: "local" });
      case "hangUp": return this.#hangUp(event.text);
      case "hold": return this.#setHolding(true);
      case "unhold": return this.#setHolding(false);
      case "setSending":
        this.own = { ...this.own, audio: event.audio ?? this.own.audio, video: event.video ?? this.own.video };
        return [];
      case "changeMedia": return changeMedia(this, event.media);
      case "sendInfo": return [this.say({ type: "info", content: event.content })];
      default: return ignored(`an unknown event ${event.type}`);
    }
  }

  #accept() {
    const effects = [];
    const offer = this.current.pendingOffer;
    if (offer !== undefined) {
      this.current.pendingOffer = undefined;
      this.current.isBuilt = true;
      effects.push({ do: "createAnswer", offer, media: this.media, generation: 0 });
    } else if (this.current.isAnswered) {
      effects.push(this.say({ type: "accept", ...this.stateForAccept() }));
    }
    // Otherwise the answer is still being made, and goes out with the accept.
    effects.push(...this.enterAccepted("accepted", "local"));
    return effects;
  }

  #hangUp(text) {
    // The caller does not know of a pending accept, so for both ends this is a refusal.
    const reason = this.phase === "accepted" && !this.isAcceptPending ? "localHangup"
      : this.role === "caller" ? "localCancelled" : "localRejected";
    return finish(this, reason, { text, by: "local" });
  }

  #setHolding(hold) {
    this.own = { ...this.own, hold };
    return [notify("holdChanged", { hold: this.hold })];
  }

  // Changes of state.

  enter(phase, reason, by) {
    this.phase = phase;
    return [this.report(reason, by)];
  }

  enterAccepted(reason, by) {
    this.phase = "accepted";
    if (this.hasMedia(this.current)) return [cancelTimer("ring"), ...this.#connect(reason, by)];
    return [cancelTimer("ring"), ...this.start("connect"), this.report(reason, by)];
  }

  /** No media of the peer is shown or played before this. */
  #connect(reason, by) {
    this.hasFirstFrame = true;
    return [cancelTimer("connect"), this.report(reason, by)];
  }

  /** The effects that follow from the facts, in whatever order these arrived. */
  #advance() {
    // The first frame may begin a change of media, which changes the state again.
    return [...this.#sayChangedState(), ...this.#updateMediaState(), ...this.#sayChangedState()];
  }

  #sayChangedState() {
    // A callee that accepted while its answer was being made sends its state with the accept.
    const sendsChanges = this.role === "caller" ? this.isInviteSent : this.phase === "accepted" && !this.isAcceptPending;
    const news = sendsChanges ? this.takeUnsentState() : {};
    if (!news.state) return [];
    // Maybe not every device received it.
    if (this.peerDevice === undefined) this.isStateSentToAll = true;
    return [this.say({ type: "state", state: news.state })];
  }

  #updateMediaState() {
    // A closed signaling connection ends the call only if nothing arrives.
    if (this.peerPresence === "gone" && (this.shown.isInterrupted || !this.shown.isVerified)) {
      return finish(this, "remoteLost", { by: "peer" });
    }
    if (this.phase !== "accepted") return [];
    return [...beginWantedRestart(this), ...this.#updateConnection()];
  }

  #updateConnection() {
    if (!this.hasFirstFrame) {
      if (this.hasMedia(this.current)) {
        return [...this.#connect("firstFrame", "peer"), ...updateChange(this), ...offerRequestedMedia(this)];
      }
      if (!this.current.hasAudioSample || this.isWaitingForVideo) return [];
      this.isWaitingForVideo = true;
      return this.start("audioGrace");
    }
    return [...updateChange(this), ...this.#noteInterruption()];
  }

  #noteInterruption() {
    if (this.isInterrupted === this.shown.isInterrupted) return [];
    this.isInterrupted = !this.isInterrupted;
    return this.isInterrupted ? [...this.start("mediaLost"), this.report("interrupted", this.shown.failure === undefined ? "peer" : "local")]
      : [cancelTimer("mediaLost"), this.report("resumed", "peer")];
  }

  /** Whether the peer's first media arrived on a generation: a video frame, or audio in a call without video. */
  hasMedia(generation) {
    // Interrupted media has to arrive again.
    if (generation.isInterrupted) return false;
    // During a hold nobody sends anything.
    if (this.hold !== "none") return generation.isVerified;
    if (generation.media.video && this.peer.video !== "off") {
      return generation.hasVideoFrame || (this.isVideoWaived && generation.hasAudioSample);
    }
    if (generation.media.audio && this.peer.audio !== "off") return generation.hasAudioSample;
    return generation.isVerified;
  }

  // Effects.

  /** A message to the peer. */
  say(body, generation = this.current) {
    return { do: "send", body, device: this.peerDevice, generation: generation.number };
  }

  report(reason, by) {
    return { do: "report", state: this.state, reason, by };
  }

  start(timer) {
    const milliseconds = this.timeouts[timer];
    return milliseconds === undefined ? [] : [{ do: "startTimer", timer, milliseconds }];
  }

  /** The field `state` for a message, if the peer does not know the current state yet. */
  takeUnsentState() {
    if (sameState(this.own, this.sentState)) return {};
    this.sentState = this.own;
    return { state: this.own };
  }

  /** A `state` message for a device that may have missed the one to all devices. */
  repeatState() {
    this.sentState = this.own;
    return this.say({ type: "state", state: this.own });
  }

  /** The field `state` for an accept, always complete: earlier ones may have been for another device's answer. */
  stateForAccept() {
    this.sentState = this.own;
    return sameState(this.own, everything) ? {} : { state: this.own };
  }
}
