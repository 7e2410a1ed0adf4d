// Decides which call a message belongs to, and what happens with an invite: the rules that concern more than one call.
// The id and the peer together identify a call: a stranger with a guessed id means another call.

import { callKey, receivedKey } from "./call-key.js";
import { RecentSet } from "./recent-set.js";

const isOpen = (call) => call.state === "calling" || call.state === "ringing";
const byId = (a, b) => (a.id < b.id ? -1 : 1);
const byPeer = (a, b) => (a.peer < b.peer ? -1 : 1);

export class Routing {
  /** The tolerated difference of two clocks for the age of an invite. */
  static clockToleranceMs = 2_000;

  /** The calls that have not ended, by key. */
  active = new Map();
  #ended = new RecentSet(1_024);
  /** Calls that ended before their invite arrived; kept separately, since anybody can report any number of them. */
  #endedEarly = new RecentSet(256);
  /** Calls of a peer that lost against an own call to that peer (glare). */
  #passedOver = new RecentSet(64);

  constructor(limit) {
    this.limit = limit;
  }

  get isFull() {
    return this.active.size >= this.limit;
  }

  /** The ringing call of a peer, if there is one. */
  ringing(peer) {
    return this.#open(peer, "callee");
  }

  #open(peer, role) {
    return Array.from(this.active.values())
      .filter((call) => call.peer === peer && call.role === role && isOpen(call)).sort(byId)[0];
  }

  #isOver(key) {
    return this.#ended.has(key) || this.#endedEarly.has(key);
  }

  /** Registers a call; returns false if the limit is reached or the id is known. */
  add(call) {
    const key = callKey(call.peer, call.id);
    if (this.isFull || this.active.has(key) || this.#isOver(key)) return false;
    // Errors of the server about a call do not name the peer, so the ids of the calls at this end must be unique.
    if (call.role === "caller" && Array.from(this.active.values()).some((one) => one.id === call.id)) return false;
    this.active.set(key, call);
    return true;
  }

  end(call) {
    const key = callKey(call.peer, call.id);
    if (this.active.delete(key)) this.#ended.add(key);
  }

  /** An own call continues under the id of the peer's call. */
  adopt(call, oldId) {
    const old = callKey(call.peer, oldId);
    if (!this.active.delete(old)) return;
    this.#ended.add(old);
    this.active.set(callKey(call.peer, call.id), call);
  }

  /** The result for a message: `{ to, call?, text? }` with `to` one of call, ring, busy, yield, expired, unknown, stray. */
  route(message, unixMs) {
    // An error of the server has no sender.
    if (message.from === undefined) return this.#routeOfServer(message);
    const key = receivedKey(message);
    const call = this.active.get(key);
    if (call) return { to: "call", call };
    switch (message.type) {
      case "invite": return this.#routeInvite(message, key, unixMs);
      case "query": case "accept":
        // The peer will find out by itself that its call lost.
        return this.#passedOver.has(key)
          ? { to: "stray", text: "a call that lost against an own one" } : { to: "unknown" };
      case "cancel": case "hangup": case "reject":
        // It may have overtaken its invite, which must not ring later.
        this.#endedEarly.add(key);
        return { to: "stray", text: "the end of a call that is none of ours" };
      default: return { to: "stray", text: "a message for no call of ours" };
    }
  }

  #routeOfServer({ callId }) {
    const calls = Array.from(this.active.values()).filter((call) => call.id === callId).sort(byPeer);
    const call = calls.find((one) => one.role === "caller") ?? calls[0];
    return call ? { to: "call", call } : { to: "stray", text: "an error about no call of ours" };
  }

  #routeInvite(message, key, unixMs) {
    if (this.#isOver(key)) return { to: "stray", text: "an invite to a call that is over" };
    const age = unixMs - message.sentUnixMs;
    if (message.sentUnixMs && age > message.ringTimeoutMs + Routing.clockToleranceMs) {
      return { to: "expired", age: Math.round(age) };
    }
    const own = this.#open(message.from, "caller");
    if (own) {
      // Both users call each other: the lower id stays.
      if (message.callId < own.id) return { to: "yield", call: own };
      this.#passedOver.add(key);
      return { to: "stray", text: "the peer's call, which yields to the own one" };
    }
    return { to: this.isFull ? "busy" : "ring" };
  }
}
