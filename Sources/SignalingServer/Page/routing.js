// Which call a message belongs to, and what becomes of an invite: the rules that concern more than one call.

/** A set that forgets its oldest members. */
class RecentSet {
  #names = new Set();

  constructor(capacity) {
    this.capacity = capacity;
  }

  add(name) {
    this.#names.delete(name);
    this.#names.add(name);
    if (this.#names.size > this.capacity) this.#names.delete(this.#names.values().next().value);
  }

  has(name) {
    return this.#names.has(name);
  }
}

export class Routing {
  /** How much two clocks may differ before an invite counts as older than it is. */
  static clockToleranceMs = 2_000;

  /** The calls that have not ended, by id. */
  active = new Map();
  #ended = new RecentSet(1_024);
  /** Calls of a peer that lost against an own call to the same peer. */
  #passedOver = new RecentSet(64);

  constructor(limit) {
    this.limit = limit;
  }

  get isFull() {
    return this.active.size >= this.limit;
  }

  /** Lists a call; false when the limit is reached or the id is known. */
  add(call) {
    if (this.isFull || this.active.has(call.id) || this.#ended.has(call.id)) return false;
    this.active.set(call.id, call);
    return true;
  }

  end(id) {
    if (this.active.delete(id)) this.#ended.add(id);
  }

  /** An own call goes on under the id of the peer's. */
  adopt(newId, oldId) {
    const call = this.active.get(oldId);
    if (!call) return;
    this.active.delete(oldId);
    this.#ended.add(oldId);
    this.active.set(newId, call);
  }

  /** What becomes of a message: `{ to, call? , text? }` with `to` one of call, ring, busy, yield, expired, unknown, stray. */
  route(message, unixMs) {
    const call = this.active.get(message.callId);
    if (call) {
      // An error of the server has no sender.
      if (message.from === undefined || message.from === call.peer) return { to: "call", call };
      return { to: "stray", text: `a message of ${message.from} for a call with ${call.peer}` };
    }
    switch (message.type) {
      case "invite": return this.#routeInvite(message, unixMs);
      case "query": case "accept":
        // The peer will learn by itself that its call lost.
        return this.#passedOver.has(message.callId)
          ? { to: "stray", text: "a call that lost against an own one" } : { to: "unknown" };
      case "cancel": case "hangup": case "reject":
        // It may have overtaken its invite, which must not ring then.
        this.#ended.add(message.callId);
        return { to: "stray", text: "the end of a call that is none of ours" };
      default: return { to: "stray", text: "a message for no call of ours" };
    }
  }

  #routeInvite(message, unixMs) {
    if (this.#ended.has(message.callId)) return { to: "stray", text: "an invite to a call that is over" };
    const age = unixMs - message.sentUnixMs;
    if (message.sentUnixMs && age > message.ringTimeoutMs + Routing.clockToleranceMs) {
      return { to: "expired", age: Math.round(age) };
    }
    const own = Array.from(this.active.values()).filter((call) => call.peer === message.from
      && call.role === "caller" && (call.state === "calling" || call.state === "ringing"))
      .sort((a, b) => (a.id < b.id ? -1 : 1))[0];
    if (own) {
      // Both users call each other: the lower id stays.
      if (message.callId < own.id) return { to: "yield", call: own };
      this.#passedOver.add(message.callId);
      return { to: "stray", text: "the peer's call, which yields to the own one" };
    }
    return { to: this.isFull ? "busy" : "ring" };
  }
}
