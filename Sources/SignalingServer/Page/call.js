// One call: passes events to its rules and carries out their effects.

import { warmUp } from "./local-media.js";
import { PeerMedia } from "./peer-media.js";
import { isSignOfLife } from "./rules-messages.js";
import { inviteId } from "./rules-words.js";
import { Rules } from "./rules.js";

/** The stages of a successful call, in order. */
export const stages = [
  "invited", "offerCreated", "answerCreated", "firstCandidate", "ringing", "answerReceived", "iceConnected",
  "dtlsConnected", "firstVideoFrame", "firstAudioSample", "accepted", "connected", "firstVideoShown",
  "firstAudioHeard", "ended",
];

const stageOfFact = {
  offerCreated: "offerCreated", answerCreated: "answerCreated", localCandidate: "firstCandidate",
  iceConnected: "iceConnected", verified: "dtlsConnected", firstVideoFrame: "firstVideoFrame",
  firstAudioSample: "firstAudioSample",
};

/** Events: `state` (detail: { state, reason, by }), `reached` (detail: { stage, ms }), `notice` (detail: { name, … }),
 * `media` (what is shown of the peer may have changed), `sending` (what this end sends), `rates`. */
export class Call extends EventTarget {
  #agent;
  #rules;
  #start = performance.now();
  #timers = new Map();
  #generations = new Map();
  #messagesSent = 0;
  #auditsUnanswered = 0;
  #adopting;
  /** When each stage was first reached, in ms from the start. */
  timeline = {};
  /** Why a device of this end gives nothing: a text for each kind. */
  faults;
  /** What this end's user asked for or sent: `{ audio, video }`. The peer may have added video to the call. */
  wanted = { audio: false, video: false };

  /** Made by a {@link CallAgent}. */
  constructor(agent, { id, peer, role, media, sends, invite, faults = {} }) {
    super();
    this.#agent = agent;
    this.id = id;
    this.peer = peer;
    this.faults = faults;
    this.displayName = invite?.displayName;
    this.#rules = new Rules({
      role, media, sends, device: agent.device, earlyMedia: agent.earlyMedia, timeouts: agent.timeouts,
      // A browser that sends no audio sends RTCP only every 5 s (RFC 3550), and the peer would consider it lost while the
      // call is held.
      audioWhileHeld: "blank",
    });
    if (role === "caller") this.#want(media);
    this.#mark("invited");
  }

  get role() { return this.#rules.role; }
  get state() { return this.#rules.state; }
  get end() { return this.#rules.end; }
  get hold() { return this.#rules.hold; }
  get media() { return this.#rules.media; }
  get sends() { return this.#rules.own; }
  get peerSends() { return this.#rules.peer; }
  get elapsedMs() { return performance.now() - this.#start; }

  /** The peer's tracks while they may be shown and played; undefined before the call is connected, or while it is held. */
  get remoteStream() {
    const shown = this.#generations.get(this.#rules.shown.number);
    return shown?.isReceiving ? shown.remote : undefined;
  }

  /** The peer's further videos, each in a stream of its own, while they may be shown: a second camera, or a screen. */
  get additionalStreams() {
    const shown = this.#generations.get(this.#rules.shown.number);
    return shown?.isReceiving ? shown.additional : [];
  }

  /** The latest figures of the peer connection in use. */
  get figures() {
    return this.#generations.get(this.#rules.shown.number)?.figures;
  }

  // Operations of the user. Each returns whether it was possible.

  /** Accepts the call; without `video` the camera stays closed, without `audio` the microphone. */
  async accept({ audio = true, video = true } = {}) {
    if (!this.#rules.allows({ type: "accept" })) return false;
    // The caller should not wait for media while the browser asks for the devices.
    const wanted = { audio: this.media.audio && audio, video: this.media.video && video };
    const { sends, faults } = await warmUp(this.#agent.local, wanted);
    // It may have been accepted otherwise, or have ended, while the browser asked.
    if (!this.#rules.allows({ type: "accept" })) return false;
    this.faults = faults;
    this.setSending(sends);
    this.#want(wanted);
    return this.#user({ type: "accept" });
  }

  reject(code = 603, text = "") { return this.#user({ type: "reject", code, text }); }
  hangUp(text = "") { return this.#user({ type: "hangUp", text }); }
  holdCall() { return this.#user({ type: "hold" }); }
  unhold() { return this.#user({ type: "unhold" }); }
  sendInfo(content) { return this.#user({ type: "sendInfo", content }); }

  changeMedia(media) {
    const isPossible = this.#user({ type: "changeMedia", media });
    if (isPossible) this.#want(media);
    return isPossible;
  }

  /** Changes what is sent: `{ audio, video }`, each on, muted or off. */
  setSending(sending) {
    const done = this.#user({ type: "setSending", ...sending });
    for (const kind of Object.keys(this.faults)) if (sending[kind] === "on") delete this.faults[kind];
    this.#want({ audio: sending.audio === "on", video: sending.video === "on" });
    this.#emit("sending", this.sends);
    return done;
  }

  /** Sends DTMF digits: 0 to 9, A to D, * and #. */
  sendDTMF(digits) {
    return this.#generations.get(this.#rules.shown.number)?.sendDTMF(digits) ?? false;
  }

  /** The page shows or plays the peer for the first time. */
  shown(kind) { this.#mark(kind === "video" ? "firstVideoShown" : "firstAudioHeard"); }

  // For the agent.

  place() { this.process({ type: "place" }); }

  receive(message) {
    if (isSignOfLife(message)) this.#auditsUnanswered = 0;
    this.process({ type: "received", message });
  }

  /** Asks the peer whether the call is still there; notifies the user once if nothing arrives for a whole interval. */
  audit() {
    if (this.end) return;
    this.process({ type: "audit" });
    this.#auditsUnanswered += 1;
    if (this.#auditsUnanswered === 2) this.#emit("notice", { name: "auditUnanswered" });
  }

  /** A message of this call was not delivered. */
  gaveUp({ type }, code, text) {
    if (type === "invite") return this.process({ type: "inviteFailed", text });
    this.#emit("notice", { name: "messageNotDelivered", type, code, text });
  }

  /** The peer calls too (glare), and its call is the one to keep. */
  yieldTo(invite) {
    this.#adopting = invite;
    this.process({ type: "yield", message: invite });
  }

  process(event) {
    for (const effect of this.#rules.handle(event)) this.#carryOut(effect);
  }

  #want({ audio, video }) {
    this.wanted = { audio: this.wanted.audio || audio, video: this.wanted.video || video };
  }

  #user(event) {
    const isPossible = !this.end && this.#rules.allows(event);
    if (isPossible) this.process(event);
    return isPossible;
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  #mark(stage) {
    if (stage in this.timeline) return;
    this.timeline[stage] = this.elapsedMs;
    this.#emit("reached", { stage, ms: this.timeline[stage] });
  }

  #carryOut(effect) {
    const media = this.#generations.get(effect.generation);
    switch (effect.do) {
      case "send": this.#send(effect); break;
      case "createOffer": this.#describe(effect, "offerCreated", (one) => one.createOffer()); break;
      case "createAnswer": this.#describe(effect, "answerCreated", (one) => one.createAnswer(effect.offer)); break;
      case "setAnswer":
        this.#mark("answerReceived");
        media?.setAnswer(effect.sdp).catch((error) => this.#failed(media, error));
        break;
      case "addCandidate": media?.addCandidate(effect.candidate, effect.mLine); break;
      case "restartIce": media?.restartIce(effect.restart); break;
      case "setIceParameters": media?.setIceParameters(effect); break;
      case "setGates":
        media?.setGates(effect.gates);
        this.#emit("media");
        break;
      case "close": this.#close(effect.generation); break;
      case "startTimer": this.#startTimer(effect.timer, effect.milliseconds); break;
      case "cancelTimer": this.#cancelTimer(effect.timer); break;
      case "adopt": this.#adopt(); break;
      case "report": this.#reportChange(effect); break;
      case "notify":
        this.#emit("notice", effect.notice);
        this.#emit("media");
        break;
      case "stopMedia":
        for (const number of Array.from(this.#generations.keys())) this.#close(number);
        break;
      default: console.debug(`call ${this.id}: ignored ${effect.text}`);
    }
  }

  #describe({ generation, media }, factType, make) {
    const session = this.#generations.get(generation) ?? this.#open(generation, media);
    make(session).then(
      (sdp) => this.#note(session, { type: factType, sdp }), (error) => this.#failed(session, error));
  }

  #open(number, media) {
    const session = new PeerMedia({
      media, iceServers: this.#agent.iceServers, local: this.#agent.local,
      report: (fact) => this.#note(session, fact), onRates: (rates) => this.#rated(session, rates),
    });
    this.#generations.set(number, session);
    return session;
  }

  #failed(session, error) {
    this.#note(session, { type: "failed", fault: error.fault ?? "other", text: `${error.name}: ${error.message}` });
  }

  #note(session, fact) {
    const number = this.#numberOf(session);
    // Late events of a replaced connection are ignored.
    if (number === undefined) return;
    if (fact.type in stageOfFact) this.#mark(stageOfFact[fact.type]);
    if (fact.type === "captureFailed") this.faults[fact.medium] = fact.text;
    this.process({ type: "media", fact, generation: number });
    if (fact.type === "captureFailed") this.#emit("sending", this.sends);
  }

  #numberOf(session) {
    return Array.from(this.#generations).find(([, one]) => one === session)?.[0];
  }

  #rated(session, rates) {
    if (this.#numberOf(session) === this.#rules.shown.number) this.#emit("rates", rates);
  }

  #close(number) {
    this.#generations.get(number)?.close();
    this.#generations.delete(number);
    this.#emit("media");
  }

  #startTimer(timer, milliseconds) {
    this.#cancelTimer(timer);
    this.#timers.set(timer, setTimeout(() => this.process({ type: "timer", timer }), milliseconds));
  }

  #cancelTimer(timer) {
    clearTimeout(this.#timers.get(timer));
    this.#timers.delete(timer);
  }

  #reportChange({ state, reason, by }) {
    if (reason === "ringing" || reason === "invited") this.#mark("ringing");
    if (reason === "accepted" || reason === "glare") this.#mark("accepted");
    if (state === "connected") this.#mark("connected");
    if (state === "ended") {
      this.#mark("ended");
      this.#agent.callEnded(this);
    }
    this.#emit("state", { state, reason, by });
  }

  #send({ body, device, generation }) {
    this.#messagesSent += 1;
    const prefix = this.role === "caller" ? inviteId[0] : "b";
    const own = body.type === "invite" && this.#agent.displayName ? { displayName: this.#agent.displayName } : {};
    this.#agent.line.send({
      ...body, ...own, id: `${prefix}${this.#messagesSent}`, callId: this.id, to: this.peer, generation,
      ...(device !== undefined && { toDevice: device }),
    });
  }

  /** The call continues under the id of the peer's call. */
  #adopt() {
    const oldId = this.id;
    this.id = this.#adopting.callId;
    this.displayName = this.#adopting.displayName;
    this.#agent.adopted(this, oldId);
  }
}
