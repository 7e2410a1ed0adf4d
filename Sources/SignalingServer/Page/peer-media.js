// One peer connection of a call: makes offers and answers, applies the gates to media, and reports facts.

import { answerOf, iceParameters } from "./ice-restart.js";
import { Sender } from "./sender.js";
import { Silence } from "./silence.js";
import { rates, readStatistics } from "./statistics.js";

const kinds = ["audio", "video"];
const lookMs = 50;
const steadyLookMs = 250;

export class PeerMedia {
  #report;
  #pc;
  #senders = new Map();
  #gates = { audio: "closed", video: "closed", isReceiving: false };
  #remoteIsSet = false;
  #waitingCandidates = [];
  #facts = new Set();
  #timer;
  #isClosed = false;
  #last;
  #lastRated;
  #silence = new Silence();
  /** The ICE restart that has not ended: its number, its beginning, and the candidate pairs that were there before. */
  #restart;
  /** What is done for other paths, one after the other. */
  #pathWork = Promise.resolve();
  /** The peer's audio and its first video; they are disabled and not shown before `isReceiving`. */
  remote = new MediaStream();
  /** The peer's further videos, each in a stream of its own. */
  additional = [];
  isReceiving = false;
  figures;

  /** Calls `report` with facts, and `onRates` with statistics for the user. */
  constructor({ media, iceServers, local, report, onRates }) {
    this.media = media;
    this.local = local;
    this.onRates = onRates;
    this.#report = report;
    this.#pc = new RTCPeerConnection({ iceServers, bundlePolicy: "max-bundle", rtcpMuxPolicy: "require" });
    this.#pc.onicecandidate = ({ candidate }) => this.#localCandidate(candidate);
    this.#pc.ontrack = ({ track }) => {
      track.enabled = this.isReceiving;
      const isFirst = !this.remote.getTracks().some(({ kind }) => kind === track.kind);
      if (isFirst) this.remote.addTrack(track);
      else if (track.kind === "video") this.additional.push(new MediaStream([track]));
    };
    // The browser notices before the media stops.
    globalThis.addEventListener("online", this.#networkChanged);
    this.#pc.oniceconnectionstatechange = () => {
      if (["connected", "completed"].includes(this.#pc.iceConnectionState)) this.#once("iceConnected");
    };
    this.#pc.onconnectionstatechange = () => this.#connectionChanged();
    // Some browsers decode media only if an element plays it: this muted element does.
    this.ear = document.createElement("video");
    this.ear.muted = true;
    this.ear.playsInline = true;
    this.ear.srcObject = this.remote;
    this.ear.play().catch(() => {});
  }

  async createOffer() {
    for (const kind of kinds) {
      if (this.media[kind]) this.#addSender(kind, this.#pc.addTransceiver(kind, { direction: "sendrecv" }));
    }
    const offer = await this.#pc.createOffer();
    await this.#pc.setLocalDescription(offer);
    this.#look();
    return offer.sdp;
  }

  async createAnswer(sdp) {
    await this.#setRemote({ type: "offer", sdp });
    for (const transceiver of this.#pc.getTransceivers()) {
      const { kind } = transceiver.receiver.track;
      // Media that the call does not have is rejected with port 0 (RFC 9429 section 5.3.1); the rest continues.
      if (!this.media[kind]) transceiver.stop();
      if (!this.media[kind] || this.#senders.has(kind)) continue;
      transceiver.direction = "sendrecv";
      this.#addSender(kind, transceiver);
    }
    const missing = kinds.find((kind) => this.media[kind] && !this.#senders.has(kind));
    // Media without an m-line would never arrive.
    if (missing) throw Object.assign(new Error(`the offer has no ${missing} in use`), { fault: "incompatible" });
    const answer = await this.#pc.createAnswer();
    await this.#pc.setLocalDescription(answer);
    this.#look();
    return answer.sdp;
  }

  async setAnswer(sdp) {
    await this.#setRemote({ type: "answer", sdp });
  }

  addCandidate(candidate, mLine) {
    // After what is being done for the path that it belongs to.
    if (this.#restart) this.#pathWork = this.#pathWork.then(() => this.#addCandidate(candidate, mLine));
    else this.#addCandidate(candidate, mLine);
  }

  #addCandidate(candidate, mLine) {
    if (!this.#remoteIsSet) return void this.#waitingCandidates.push([candidate, mLine]);
    // One bad candidate does not end the call: others may work.
    this.#pc.addIceCandidate({ candidate, sdpMLineIndex: mLine }).catch(() => {});
  }

  /** Makes another path to the peer, by an offer that only this browser sees. */
  restartIce(number) {
    this.#pathWork = this.#pathWork.then(() => this.#restartIce(number));
  }

  async #restartIce(number) {
    const begun = performance.now();
    try {
      this.#restart = { number, begun, formerPairs: new Set(this.#last?.pairs ?? []), held: [], hasAnswer: false };
      // Candidates of the new path must wait for its parameters.
      this.#remoteIsSet = false;
      if (this.#pc.signalingState === "have-local-offer") await this.#pc.setLocalDescription({ type: "rollback" });
      const offer = await this.#pc.createOffer({ iceRestart: true });
      // Reported first: the candidates follow.
      this.#notify({ type: "iceParameters", restart: number, ...iceParameters(offer.sdp) });
      await this.#pc.setLocalDescription(offer);
    } catch (error) {
      this.#pathFailed(error);
    }
  }

  /** Uses the peer's parameters for the path of the same number: an answer made of the peer's last description. */
  setIceParameters(parameters) {
    this.#pathWork = this.#pathWork.then(() => this.#setIceParameters(parameters));
  }

  async #setIceParameters({ restart, fragment, password }) {
    if (this.#restart?.number !== restart) return;
    try {
      const sdp = answerOf(this.#pc, { fragment, password });
      await this.#setRemote({ type: "answer", sdp });
      this.#restart.hasAnswer = true;
      // A check of the peer that comes before its candidates makes a pair that Chromium drops in favour of the former one.
      for (const line of this.#restart.held.splice(0)) this.#notify({ type: "localCandidate", candidate: line, mLine: 0 });
      this.#restart.held = undefined;
    } catch (error) {
      this.#pathFailed(error);
    }
  }

  /** The former path stays, and with it its candidates. */
  #pathFailed(error) {
    this.#restart = undefined;
    this.#remoteIsSet = true;
    this.#notify({ type: "warning", text: `another network path was not tried: ${error.message}` });
  }

  setGates(gates) {
    this.#gates = gates;
    for (const [kind, sender] of this.#senders) sender.set(gates[kind]);
    this.isReceiving = gates.isReceiving;
    for (const stream of [this.remote, ...this.additional]) {
      for (const track of stream.getTracks()) track.enabled = gates.isReceiving;
    }
  }

  /** Sends DTMF digits; returns false if that is not possible now. */
  sendDTMF(digits) {
    return this.#senders.get("audio")?.sendDTMF(digits) ?? false;
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    globalThis.removeEventListener("online", this.#networkChanged);
    this.ear.srcObject = null;
    this.#pc.close();
    for (const sender of this.#senders.values()) sender.close();
  }

  #addSender(kind, transceiver) {
    const sender = new Sender(kind, transceiver, this.local, (which, error) => {
      this.#notify({ type: "captureFailed", medium: which, text: `${error.name}: ${error.message}` });
    });
    this.#senders.set(kind, sender);
    sender.set(this.#gates[kind]);
  }

  async #setRemote(description) {
    try {
      await this.#pc.setRemoteDescription(description);
    } catch (error) {
      error.fault = "incompatible";
      throw error;
    }
    this.#remoteIsSet = true;
    for (const [candidate, mLine] of this.#waitingCandidates.splice(0)) this.#addCandidate(candidate, mLine);
  }

  #localCandidate(candidate) {
    // An empty candidate is the end of one m-line; a missing one is the end of all.
    if (candidate?.candidate === "") return;
    let line = candidate?.candidate ?? "";
    if (this.#restart) {
      // The end of the candidates belongs to no path.
      if (!line) return;
      if (!/ ufrag /.test(line)) line += ` ufrag ${candidate.usernameFragment}`;
      if (this.#restart.held) return void this.#restart.held.push(line);
    }
    this.#notify({ type: "localCandidate", candidate: line, mLine: candidate?.sdpMLineIndex ?? 0 });
  }

  #networkChanged = () => { if (this.#facts.has("verified")) this.#notify({ type: "networkChanged" }); };

  /** The path has changed when a pair works that was not there before. */
  #listenForPath(figures) {
    if (!this.#restart?.hasAnswer || !figures.selectedPair || this.#restart.formerPairs.has(figures.selectedPair)) return;
    const { number, begun } = this.#restart;
    this.#restart.hasAnswer = false;
    this.#notify({ type: "pathChanged", restart: number, milliseconds: performance.now() - begun });
  }

  #connectionChanged() {
    const state = this.#pc.connectionState;
    if (state === "connected") {
      this.#once("iceConnected");
      this.#once("verified");
    }
    if (state !== "failed") return;
    const dtls = this.#pc.getTransceivers()[0]?.sender.transport?.state;
    if (this.#facts.has("verified")) {
      this.#notifyOf(this.#silence.interrupt());
      // Another network path does not help then.
      const hasPath = ["connected", "completed"].includes(this.#pc.iceConnectionState);
      if (dtls === "failed" && hasPath) this.#notify({ type: "failed", fault: "other", text: "DTLS failed" });
      return;
    }
    // The browser compares the peer's certificate with the fingerprint of its SDP. In Firefox DTLS fails with ICE, too, and sometimes before it.
    const fault = dtls === "failed" && this.#facts.has("iceConnected") ? "security" : "other";
    this.#notify({ type: "failed", fault, text: fault === "security" ? "DTLS failed" : "ICE found no way" });
  }

  #notify(fact) {
    if (!this.#isClosed) this.#report(fact);
  }

  #notifyOf(types) {
    for (const type of types) this.#notify({ type });
  }

  #once(type) {
    if (this.#facts.has(type)) return;
    this.#facts.add(type);
    this.#notify({ type });
  }

  /** Reads the statistics repeatedly to see what arrives. */
  #look() {
    if (this.#isClosed || this.#timer) return;
    const hasAll = kinds.every((kind) => !this.media[kind] || this.#facts.has(firstOf(kind)));
    this.#timer = setTimeout(async () => {
      const others = this.additional.flatMap((stream) => stream.getTracks().map(({ id }) => id));
      const figures = readStatistics(await this.#pc.getStats().catch(() => new Map()), others);
      this.#timer = undefined;
      if (this.#isClosed) return;
      for (const kind of kinds) if (figures[kind].received.decoded > 0) this.#once(firstOf(kind));
      this.#listenForPath(figures);
      this.#listenForSilence(figures);
      this.figures = figures;
      this.#rate(figures);
      this.#last = figures;
      this.#look();
    }, hasAll && !this.#restart?.hasAnswer ? steadyLookMs : lookMs);
  }

  #listenForSilence(figures) {
    if (!this.#facts.has("verified")) return;
    // A late timer counts for at most two intervals.
    const milliseconds = Math.min(figures.at - (this.#last?.at ?? figures.at), 2 * steadyLookMs);
    this.#notifyOf(this.#silence.look(figures, milliseconds));
  }

  #rate(figures) {
    if (this.#lastRated && figures.at - this.#lastRated.at < 1_000) return;
    const result = rates(this.#lastRated, figures);
    this.#lastRated = figures;
    if (result) this.onRates?.(result);
  }
}

function firstOf(kind) {
  return kind === "video" ? "firstVideoFrame" : "firstAudioSample";
}
