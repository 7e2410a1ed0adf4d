// The messages that one device sends this one about one call, put into order.

/** Whether a message is repeated until it is acknowledged. */
export function isReliable(message) {
  return !["ack", "error", "gone"].includes(message.type);
}

/** Whether a message ends a call, or a part of it. */
export function isFarewell(message) {
  return ["reject", "cancel", "hangup"].includes(message.type);
}

/** Whether a message is delivered before others that were sent earlier and have not come. */
function overtakes(message) {
  return isFarewell(message) || message.type === "query" || message.type === "status";
}

export class IncomingStream {
  /** How far ahead of a missing message others may come. */
  static window = 128;

  #next = 1;
  #held = new Map();
  /** Delivered before their turn. */
  #early = new Set();
  lastHeard = 0;

  /** `call` is its key. */
  constructor(call, device) {
    this.call = call;
    this.device = device;
  }

  /** How many messages wait for one that is missing. */
  get heldCount() {
    return this.#held.size;
  }

  /** Takes a message; returns what can be handed on now, nothing at all when it is too far ahead to be kept. */
  take(message, mayHold, now) {
    this.lastHeard = now;
    const { seq } = message;
    if (this.#isKnown(seq)) return [];
    if (seq >= this.#next + IncomingStream.window) return undefined;
    // What ends a call does not wait for a candidate that was lost.
    if (overtakes(message) && seq > this.#next) {
      this.#early.add(seq);
      return [message];
    }
    if (!mayHold && seq !== this.#next) return undefined;
    this.#held.set(seq, message);
    return this.#drain();
  }

  /** Lets a number go by that carries nothing; returns what can be handed on now, nothing at all when it is too far ahead. */
  skip(seq, now) {
    this.lastHeard = now;
    if (this.#isKnown(seq)) return [];
    if (seq >= this.#next + IncomingStream.window) return undefined;
    this.#early.add(seq);
    return this.#drain();
  }

  #isKnown(seq) {
    return seq < this.#next || this.#held.has(seq) || this.#early.has(seq);
  }

  #drain() {
    const delivered = [];
    for (;;) {
      const message = this.#held.get(this.#next);
      if (message) {
        this.#held.delete(this.#next);
        delivered.push(message);
      } else if (!this.#early.delete(this.#next)) {
        return delivered;
      }
      this.#next += 1;
    }
  }
}
