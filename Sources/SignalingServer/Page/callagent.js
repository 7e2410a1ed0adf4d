// A client for docs/signaling.md in a browser: signs in, places and answers calls.
//
//   import { CallAgent } from "./callagent.js";
//   const agent = new CallAgent("wss://calls.example.org/", "alice");
//   agent.addEventListener("incoming", ({ detail: call }) => call.accept());
//   await agent.signIn();
//   const call = await agent.call("bob", { audio: true, video: true });
//   call.addEventListener("media", () => { video.srcObject = call.remoteStream ?? null; });

import { auditStepMs, isAuditDue } from "./audit.js";
import { callKey, sentKey } from "./call-key.js";
import { Call } from "./call.js";
import { isName, randomName } from "./limits.js";
import { Line } from "./line.js";
import { LocalMedia, warmUp } from "./local-media.js";
import { Routing } from "./routing.js";

export { describeEnd } from "./end-reason.js";
export { stages } from "./call.js";
export { SignInRefused } from "./connection.js";

/** Events: `incoming` and `call` (detail: a {@link Call}), `ended` (detail: a call), `missed` (detail: { peer, id } of a
 * call that came too late or during another one), `taken` (the same, if another device took it after all), `presence`, `watchRefused`, `lost`, `restored`, `closed`,
 * `tokenWillExpire`, `renewed`, `renewalRefused` (detail: { code, text }), `expired` (the server takes the token no more; the calls continue; {@link CallAgent.renew} signs in again). */
export class CallAgent extends EventTarget {
  #routing;
  #audit;
  local = new LocalMedia();

  /** `earlyMedia` is full, guarded or off, see docs/call-states.md. */
  constructor(url, user, options = {}) {
    super();
    const { device = "main", token, displayName, earlyMedia = "guarded", timeouts = {}, maximumCalls = 1 } = options;
    if (!isName(user)) throw new TypeError("a name is 1 to 64 of the letters, digits and . _ - @ + :");
    this.user = user;
    this.device = device;
    this.displayName = displayName;
    this.earlyMedia = earlyMedia;
    this.timeouts = timeouts;
    this.line = new Line(url, user, { device, token });
    this.#routing = new Routing(maximumCalls);
    this.line.addEventListener("message", ({ detail }) => this.#receive(detail));
    this.line.addEventListener("failed", ({ detail }) => this.#failed(detail));
    for (const name of ["lost", "restored"]) {
      this.line.addEventListener(name, () => {
        const type = name === "lost" ? "signalingLost" : "signalingRestored";
        for (const call of this.calls) call.process({ type });
      });
    }
    for (const name of [
      "presence", "watchRefused", "lost", "restored", "closed", "tokenWillExpire", "renewed", "renewalRefused", "expired",
    ]) {
      this.line.addEventListener(name, ({ detail }) => this.#emit(name, detail));
    }
  }

  /** The calls that have not ended. */
  get calls() {
    return Array.from(this.#routing.active.values());
  }

  get iceServers() {
    return this.line.connection.iceServers;
  }

  async signIn() {
    await this.line.connection.connect();
    let steps = 0;
    this.#audit = setInterval(() => {
      steps += 1;
      for (const call of this.calls) if (isAuditDue(call.state, steps)) call.audit();
    }, auditStepMs);
  }

  /** Ends all calls and signs out. */
  close() {
    clearInterval(this.#audit);
    for (const call of this.calls) call.hangUp();
    this.line.close();
  }

  /** Whether only {@link CallAgent.renew} signs in again. */
  get isExpired() { return this.line.connection.phase === "expired"; }

  /** The token of the present sign-in. */
  get token() { return this.line.connection.token; }

  watch(users) { this.line.connection.watch(users); }
  renew(token) { this.line.connection.renew(token); }

  /** Places a call. If a device is missing or not allowed, the call continues without it. */
  async call(peer, media = { audio: true, video: true }, id = randomName("w")) {
    if (!isName(peer) || peer === this.user) throw new TypeError(`'${peer}' cannot be called`);
    const ringing = await this.#acceptCallOf(peer, media);
    if (ringing) return ringing;
    if (this.#routing.isFull) throw new Error("there is a call already");
    const { sends, faults } = await warmUp(this.local, media);
    // The peer may have called while the browser asked for the devices.
    const late = await this.#acceptCallOf(peer, media);
    if (late) return late;
    const call = new Call(this, { id, peer, role: "caller", media, sends: { ...sends, hold: false }, faults });
    if (!this.#routing.add(call)) throw new Error("there is a call already");
    this.#emit("call", call);
    call.place();
    return call;
  }

  /** If a call of that peer rings here, accepts it with the requested media instead of placing a call. */
  async #acceptCallOf(peer, { audio, video }) {
    const ringing = this.#routing.ringing(peer);
    return ringing && await ringing.accept({ audio, video }) ? ringing : undefined;
  }

  // For calls.

  callEnded(call) {
    this.#routing.end(call);
    this.line.forget(callKey(call.peer, call.id));
    this.#emit("ended", call);
  }

  adopted(call, oldId) {
    this.line.forget(callKey(call.peer, oldId));
    this.#routing.adopt(call, oldId);
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  #failed({ message, code, text }) {
    console.warn(`a message was not delivered: ${message.type}: ${text}`);
    this.#routing.active.get(sentKey(message))?.gaveUp(message, code, text);
  }

  #receive(message) {
    const route = this.#routing.route(message, this.line.unixMs);
    switch (route.to) {
      case "call": route.call.receive(message); break;
      case "ring": this.#ring(message); break;
      case "yield": route.call.yieldTo(message); break;
      case "busy":
        this.#answer(message, { type: "reject", code: 486, text: `${this.user} is busy` });
        this.#emit("missed", { peer: message.from, id: message.callId });
        break;
      case "expired": {
        const text = `the invite was ${route.age} ms old when it arrived; are both clocks right?`;
        this.#answer(message, { type: "reject", code: 487, text });
        this.#emit("missed", { peer: message.from, id: message.callId });
        break;
      }
      case "unknown":
        this.#answer(message, { type: "error", code: 481, text: "no such call", ref: message.id });
        break;
      default:
        if (message.type === "cancel" && message.winner) this.#emit("taken", { peer: message.from, id: message.callId });
        console.debug(`dropped ${message.type}: ${route.text}`);
    }
  }

  #ring(invite) {
    const call = new Call(this, {
      id: invite.callId, peer: invite.from, role: "callee", media: invite.media, invite,
      sends: { audio: invite.media.audio ? "on" : "off", video: invite.media.video ? "on" : "off", hold: false },
    });
    this.#routing.add(call);
    call.receive(invite);
    this.#emit("incoming", call);
  }

  /** Answers a message that belongs to no call. */
  #answer(message, body) {
    this.line.send({
      ...body, id: `r-${message.id.slice(0, 62)}`, callId: message.callId, to: message.from,
      generation: message.generation, ...(message.device !== undefined && { toDevice: message.device }),
    });
  }
}
