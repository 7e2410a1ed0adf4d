// Puts the messages of one device to this device about one call into order.

/** Whether a message is repeated until it is acknowledged. */
export function isReliable(message) {
  return !["ack", "error", "gone"].includes(message.type);
}

/** Whether a message ends a call, or a part of it. */
export function isFarewell(message) {
  return ["reject", "cancel", "hangup"].includes(message.type);
}

/** Whether a message is delivered before earlier messages that have not arrived. */
function overtakes(message) {
  return isFarewell(message) || message.type === "query" || message.type === "status";
}

export class IncomingStream {
  /** How far ahead of a missing message others may arrive. */
  static window = 128;

  #next = 1;
  #held = new Map();
  /** Delivered before their turn. */
  #early = new Set();
  lastHeard = 0;
  /** Whether a `state` was delivered. */
  hasState = false;

  /** `call` is its key, `epoch` that of all its messages. */
  constructor(call, device, epoch) {
    this.call = call;
    this.device = device;
    this.epoch = epoch;
  }

  /** The number of messages that wait for a missing one. */
  get heldCount() {
    return this.#held.size;
  }

  /** Takes a message; returns the messages that can be delivered now, or undefined if it is too far ahead to be kept. */
  take(message, mayHold, now) {
    this.lastHeard = now;
    const { seq } = message;
    if (this.#isKnown(seq)) return [];
    if (seq >= this.#next + IncomingStream.window) return undefined;
    // A message that ends a call does not wait for a lost candidate.
    if (overtakes(message) && seq > this.#next) {
      this.#early.add(seq);
      return [message];
    }
    if (!mayHold && seq !== this.#next) return undefined;
    this.#held.set(seq, message);
    return this.#drain();
  }

  /** Skips an unused number; returns the messages that can be delivered now, or undefined if it is too far ahead. */
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
        if (message.type === "state") this.hasState = true;
      } else if (!this.#early.delete(this.#next)) {
        return delivered;
      }
      this.#next += 1;
    }
  }
}
