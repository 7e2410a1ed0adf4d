// Gets the messages of one client to their receivers once and in order, whatever the connection loses or repeats.
// A plain value as in docs/signaling.md, "Delivery": time goes in as ms, commands come out.

import { IncomingStream, isFarewell, isReliable } from "./incoming-stream.js";

const firstRetryMs = 500;
const longestRetryMs = 4_000;
const expiryMs = 32_000;
const memoryMs = 600_000;
const maximumPending = 1_024;
const maximumHeld = 512;
const maximumStreams = 1_024;

/** Whether what was said before it about the call has no use any more. */
function endsEverything(message) {
  return message.type === "reject" || message.type === "hangup" || (message.type === "cancel" && !message.winner);
}

/** Whose messages are numbered together; names hold no blanks. */
function streamKey(call, peer, device, isForAll) {
  return `${call} ${peer} ${device ?? ""} ${isForAll ? "all" : ""}`;
}

export class Delivery {
  #pending = [];
  #counters = new Map();
  #streams = new Map();
  #running = new Set();
  #isConnected = true;
  #acksSent = 0;
  #lastTidied = 0;

  constructor(user, device) {
    this.user = user;
    this.device = device;
  }

  /** Whether nothing waits for an acknowledgement. */
  get isIdle() {
    return this.#pending.length === 0;
  }

  /** When `wake` is to be called next; infinite when there is nothing to wait for. */
  get nextWake() {
    return Math.min(Infinity, ...this.#pending.map((one) => this.#isConnected
      ? Math.min(one.dueAt, one.expiresAt) : one.expiresAt));
  }

  /** Sends a message; returns what is to be done, in order: `{ transmit }`, `{ deliver }` or `{ failed }`. */
  send(message, now) {
    if (isReliable(message) && !isFarewell(message)) this.#running.add(message.callId);
    if (!isReliable(message)) return this.#isConnected ? [{ transmit: message }] : [];
    if (endsEverything(message) && this.#dropMoot(message)) return [];
    const key = streamKey(message.callId, message.to, message.toDevice, false);
    const seq = (this.#counters.get(key) ?? 0) + 1;
    this.#counters.set(key, seq);
    this.#pending.push({
      message: { ...message, seq }, acknowledged: new Set(), transmissions: 0, dueAt: now,
      expiresAt: now + expiry(message),
    });
    const actions = [];
    if (this.#pending.length > maximumPending) actions.push({ failed: this.#pending.shift().message });
    return [...actions, ...this.#transmitDue(now)];
  }

  /** The call has ended here without a word of its own: nothing of it is repeated any more. */
  forget(callId) {
    this.#running.delete(callId);
    this.#pending = this.#pending.filter((one) => one.message.callId !== callId || isFarewell(one.message));
  }

  /** What waits for the same receiver about a call that ends has no use any more, but for other farewells.
   * Tells whether the invite was among it and had not gone out, so that nobody need hear of its end. */
  #dropMoot(ending) {
    const isMoot = (one) => one.message.callId === ending.callId && one.message.to === ending.to;
    const moot = this.#pending.filter(isMoot);
    this.#pending = this.#pending.filter((one) => !isMoot(one) || isFarewell(one.message));
    return moot.some((one) => one.message.type === "invite" && one.transmissions === 0);
  }

  #transmitDue(now) {
    if (!this.#isConnected) return [];
    const actions = [];
    for (const one of this.#pending) {
      if (one.dueAt > now) continue;
      one.dueAt = now + Math.min(firstRetryMs * 2 ** Math.min(one.transmissions, 16), longestRetryMs);
      one.transmissions += 1;
      actions.push({ transmit: one.message });
    }
    return actions;
  }

  /** The time of `nextWake` has come. */
  wake(now) {
    const expired = this.#pending.filter((one) => one.expiresAt <= now);
    this.#pending = this.#pending.filter((one) => one.expiresAt > now);
    return [...expired.map((one) => ({ failed: one.message })), ...this.#transmitDue(now)];
  }

  connectionLost() {
    this.#isConnected = false;
  }

  /** What was not acknowledged goes out at once. */
  connectionRestored(now) {
    this.#isConnected = true;
    for (const one of this.#pending) {
      one.dueAt = now;
      one.transmissions = Math.min(one.transmissions, 1);
    }
    return this.#transmitDue(now);
  }

  /** Takes a message that arrived. */
  receive(message, now) {
    if (message.type === "ack") {
      this.#acknowledge(message);
      return [];
    }
    if (message.type === "error") {
      this.#settle(message);
      return [{ deliver: message }];
    }
    if (message.seq === undefined || !message.from) return [{ deliver: message }];
    const isForAll = message.toDevice === undefined;
    const key = streamKey(message.callId, message.from, message.device, isForAll);
    this.#forgetOldStreams(now);
    const stream = this.#streams.get(key) ?? new IncomingStream(message.callId, message.from, message.device);
    const held = Array.from(this.#streams.values()).reduce((sum, one) => sum + one.heldCount, 0);
    const delivered = stream.take(message, held < maximumHeld, now);
    // Too far ahead of what is missing: it will come again.
    if (!delivered) return [];
    this.#streams.set(key, stream);
    // A state for all devices that comes after one for this device is old.
    const direct = streamKey(message.callId, message.from, message.device, false);
    const isOutdated = (one) => isForAll && one.type === "state" && this.#streams.has(direct);
    return [
      ...delivered.filter((one) => !isOutdated(one)).map((one) => ({ deliver: one })),
      { transmit: this.#acknowledgement(message) },
    ];
  }

  /** What is for all devices of a user must reach all of those that take part. */
  #acknowledge(ack) {
    const index = this.#pending.findIndex(({ message }) => message.id === ack.ref && message.callId === ack.callId
      && message.to === ack.from);
    if (index < 0) return;
    const one = this.#pending[index];
    if (one.message.toDevice === undefined && ack.device !== undefined) {
      one.acknowledged.add(ack.device);
      for (const stream of this.#streams.values()) {
        const takesPart = stream.callId === ack.callId && stream.peer === ack.from && stream.device !== undefined;
        if (takesPart && !one.acknowledged.has(stream.device)) return;
      }
    }
    this.#pending.splice(index, 1);
  }

  /** A message that the server or the peer will never take is not repeated; one for a user who may come back is. */
  #settle(error) {
    this.#pending = this.#pending.filter(({ message }) => {
      if (message.callId !== error.callId || message.id !== error.ref) return true;
      if (error.from && error.from !== message.to) return true;
      return [404, 480, 429].includes(error.code) && message.type !== "invite";
    });
  }

  #acknowledgement(message) {
    this.#acksSent += 1;
    return {
      v: 1, type: "ack", id: `k${this.#acksSent}`, callId: message.callId, from: this.user, to: message.from,
      device: this.device, toDevice: message.device, generation: message.generation,
      sentUnixMs: message.sentUnixMs ?? 0, ref: message.id,
    };
  }

  #forgetOldStreams(now) {
    if (this.#streams.size < maximumStreams && now - this.#lastTidied <= memoryMs) return;
    this.#lastTidied = now;
    const oldestFirst = Array.from(this.#streams).sort(([, a], [, b]) => a.lastHeard - b.lastHeard);
    for (const [key, stream] of oldestFirst) {
      const isOld = stream.lastHeard + memoryMs <= now && !this.#running.has(stream.callId);
      if (isOld || this.#streams.size >= maximumStreams) this.#streams.delete(key);
    }
    for (const key of this.#counters.keys()) {
      const call = key.split(" ")[0];
      const isWaiting = this.#pending.some(({ message }) => message.callId === call);
      if (!this.#running.has(call) && !isWaiting) this.#counters.delete(key);
    }
  }
}

function expiry(message) {
  if (message.type === "invite") return message.ringTimeoutMs;
  return isFarewell(message) ? expiryMs : Infinity;
}
