// Delivers the messages of one client once and in order, even if the connection loses or repeats some.
// Implements docs/signaling.md, "Delivery", as a plain value: time goes in as ms, commands come out.

import { receivedKey, sentKey } from "./call-key.js";
import { IncomingStream, isFarewell, isReliable } from "./incoming-stream.js";
import { answerTo } from "./message-head.js";

const firstRetryMs = 500;
const longestRetryMs = 4_000;
const expiryMs = 32_000;
const memoryMs = 600_000;
export const maximumPending = 1_024;
const maximumHeld = 512;
const lostAfterMs = 50;
const maximumRepeated = 32;
const maximumStreams = 1_024;

/** Whether earlier messages about the call become useless. */
function endsEverything(message) {
  return message.type === "reject" || message.type === "hangup" || (message.type === "cancel" && !message.winner);
}

/** The key of a sequence of numbered messages; names contain no spaces. */
function streamKey(call, device, isForAll) {
  return `${call} ${device ?? ""} ${isForAll ? "all" : ""}`;
}

export class Delivery {
  #pending = [];
  /** By stream: the last used number, and the call. */
  #counters = new Map();
  #streams = new Map();
  /** The calls of this end; their streams are kept, however long they are silent. */
  #running = new Set();
  #isConnected = true;
  #acksSent = 0;
  #skipsSent = 0;
  #lastTidied = 0;

  /** `epoch` is the time in ms since 1970, later than that of any former delivery of the device. */
  constructor(user, device, epoch) {
    this.user = user;
    this.device = device;
    this.epoch = epoch;
  }

  /** Whether nothing waits for an acknowledgement. */
  get isIdle() {
    return this.#pending.length === 0;
  }

  /** When to call `wake` next; infinite if there is nothing to wait for. */
  get nextWake() {
    return this.#pending.reduce((soonest, one) => Math.min(soonest, one.expiresAt,
      this.#isConnected ? one.dueAt : Infinity), Infinity);
  }

  /** Sends a message; returns the actions, in order: `{ transmit }`, `{ deliver }` or `{ failed, why, code, text }`.
   * `why` is unacknowledged, tooManyWait or refused; `refused` has the code and the text of the refusal. */
  send(message, now) {
    if (isReliable(message) && !isFarewell(message)) this.#running.add(sentKey(message));
    if (!isReliable(message)) return this.#isConnected ? [{ transmit: message }] : [];
    if (endsEverything(message) && this.#dropMoot(message)) return [];
    if (this.#pending.length >= maximumPending && !isFarewell(message)) return [{ failed: message, why: "tooManyWait" }];
    const key = streamKey(sentKey(message), message.toDevice, false);
    const seq = (this.#counters.get(key)?.seq ?? 0) + 1;
    this.#counters.set(key, { call: sentKey(message), seq });
    this.#pending.push(waiting({ ...message, seq, epoch: this.epoch }, now, now + expiry(message)));
    return this.#transmitDue(now);
  }

  /** The call has ended here without a farewell: its messages are no longer repeated. */
  forget(call) {
    this.#running.delete(call);
    this.#pending = this.#pending.filter(({ message }) => sentKey(message) !== call || isFarewell(message));
  }

  /** Drops the messages that wait for the same receiver about an ending call, except other farewells.
   * Returns whether an unsent invite was among them, so that the end need not be sent either. */
  #dropMoot(ending) {
    const isMoot = ({ message }) => sentKey(message) === sentKey(ending);
    const moot = this.#pending.filter(isMoot);
    this.#pending = this.#pending.filter((one) => !isMoot(one) || isFarewell(one.message));
    return moot.some((one) => one.message.type === "invite" && one.transmissions === 0);
  }

  #transmitDue(now) {
    if (!this.#isConnected) return [];
    const actions = [];
    for (const one of this.#pending) {
      if (one.dueAt > now) continue;
      one.sentAt = now;
      one.dueAt = now + Math.min(firstRetryMs * 2 ** Math.min(one.transmissions, 16), longestRetryMs);
      one.transmissions += 1;
      actions.push({ transmit: one.message });
    }
    return actions;
  }

  /** To be called at the time `nextWake`. */
  wake(now) {
    const expired = this.#pending.filter((one) => one.expiresAt <= now);
    this.#pending = this.#pending.filter((one) => one.expiresAt > now);
    return [...expired.map(({ message }) => ({ failed: message, why: "unacknowledged" })), ...this.#transmitDue(now)];
  }

  connectionLost() {
    this.#isConnected = false;
  }

  /** The connection is back: all unacknowledged messages go out at once. */
  connectionRestored(now) {
    this.#isConnected = true;
    for (const one of this.#pending) makeDue(one, now);
    return this.#transmitDue(now);
  }

  /** Repeats the oldest messages of a call, except those whose acknowledgement may still be under way. */
  #repeatLost(call, now) {
    const lost = this.#pending.filter((one) => sentKey(one.message) === call && now - one.sentAt >= lostAfterMs);
    for (const one of lost.slice(0, maximumRepeated)) makeDue(one, now);
    return this.#transmitDue(now);
  }

  /** Takes a message that arrived. */
  receive(message, now) {
    if (message.type === "ack") {
      // A former process of this device may have used the same id.
      if ((message.epoch ?? 0) === this.epoch) this.#acknowledge(message);
      return [];
    }
    if (message.type === "error") return [...this.#resolve(message, now), { deliver: message }];
    if (message.seq === undefined || !message.from) return [{ deliver: message }];
    const delivered = this.#take(message, now, (stream, mayHold) => (
      message.type === "skip" ? stream.skip(message.seq, now) : stream.take(message, mayHold, now)));
    // Of a former process; or too far ahead of a missing message, and the sender will repeat it.
    if (!delivered) return [];
    const answer = [...delivered, { transmit: this.#acknowledgement(message) }];
    if (message.type !== "query" || delivered.length === 0) return answer;
    // The peer's connection may be back: what was sent to the former one is lost.
    return [...answer, ...this.#repeatLost(receivedKey(message), now)];
  }

  /** Takes a refused message: it uses up its number, so that the next ones are delivered. Its sender gets an error. */
  refuse(head, fault, now) {
    const answer = answerTo(head, fault, this.user);
    if (!answer) return [];
    let delivered = [];
    if (!head.isMisaddressed && head.seq !== undefined && head.epoch !== undefined) {
      delivered = this.#take(head, now, (stream) => stream.skip(head.seq, now));
      if (!delivered) return [];
    }
    return [...delivered, { transmit: { ...answer, device: this.device } }];
  }

  /** Passes a message, or the head of a refused one, to its stream.
   * Returns undefined if it is too far ahead, or of a former process of its device. */
  #take(head, now, take) {
    this.#forgetOldStreams(now);
    const { device, epoch = 0 } = head;
    const [call, isForAll] = [receivedKey(head), head.toDevice === undefined];
    const key = streamKey(call, device, isForAll);
    if (!this.#begin(call, device, epoch, key)) return undefined;
    const stream = this.#streams.get(key) ?? new IncomingStream(call, device, epoch);
    const held = Array.from(this.#streams.values()).reduce((sum, one) => sum + one.heldCount, 0);
    const delivered = take(stream, held < maximumHeld);
    if (!delivered) return undefined;
    this.#streams.set(key, stream);
    // A state for all devices that arrives after one for this device is outdated.
    const isOutdated = isForAll && this.#streams.get(streamKey(call, device, false))?.hasState === true;
    return delivered.filter((one) => !isOutdated || one.type !== "state").map((one) => ({ deliver: one }));
  }

  /** Forgets what a former process of the device has sent. Returns false for the epoch of a former process. */
  #begin(call, device, epoch, key) {
    const ofDevice = [true, false].map((isForAll) => streamKey(call, device, isForAll));
    const epochs = ofDevice.flatMap((one) => this.#streams.get(one)?.epoch ?? []);
    if (epochs.some((known) => known > epoch)) return false;
    if (!epochs.some((known) => known < epoch)) return true;
    for (const one of ofDevice) this.#streams.delete(one);
    // Also when the message itself is too far ahead: the former process must not come back.
    this.#streams.set(key, new IncomingStream(call, device, epoch));
    return true;
  }

  /** A message for all devices of a user must reach every device that takes part. An error of a device counts like its
   * acknowledgement: both have a `ref`. Returns whether the message is done. */
  #acknowledge(answer) {
    const call = receivedKey(answer);
    const index = this.#pending.findIndex(({ message }) => message.id === answer.ref && sentKey(message) === call);
    if (index < 0) return false;
    const one = this.#pending[index];
    if (one.message.toDevice === undefined && answer.device !== undefined) {
      one.acknowledged.add(answer.device);
      for (const { call: other, device } of this.#streams.values()) {
        if (other === call && device !== undefined && !one.acknowledged.has(device)) return false;
      }
    }
    this.#pending.splice(index, 1);
    return true;
  }

  /** A message that the server or the peer will never accept is not repeated; one for a user who may come back is. */
  #resolve(error, now) {
    if (error.ref === undefined) return [];
    const index = this.#pending.findIndex(({ message }) => message.id === error.ref
      && message.callId === error.callId && (!error.from || error.from === message.to));
    if (index < 0) return [];
    const { message } = this.#pending[index];
    if ([404, 480, 429].includes(error.code) && message.type !== "invite") return [];
    // For an invite, the call gets the error itself, with its reason.
    const failure = message.type === "invite" ? []
      : [{ failed: message, why: "refused", code: error.code, text: error.text }];
    // This device has used up the number; other devices may still accept the message.
    if (error.from) return this.#acknowledge(error) ? failure : [];
    this.#pending.splice(index, 1);
    // No receiver knows the message, and later messages wait for its number.
    const skip = this.#skip(message);
    if (!skip) return failure;
    this.#pending.splice(index, 0, waiting(skip, now, Infinity));
    return [...failure, ...this.#transmitDue(now)];
  }

  /** This end cannot send the message: it exceeds the limits of the protocol. */
  refusedHere(message, fault, now) {
    const { code, message: text } = fault;
    const resolved = this.#resolve({ callId: message.callId, code, text, ref: message.id }, now);
    return resolved.length > 0 ? resolved : [{ failed: message, why: "refused", code, text }];
  }

  /** The `skip` that uses the number of a message that no receiver will see; undefined if no message waits for the number:
   * for messages that begin or end a call. */
  #skip(message) {
    if (message.type === "invite" || message.type === "skip" || isFarewell(message)) return undefined;
    this.#skipsSent += 1;
    const { v, callId, from, to, device, toDevice, generation, seq, epoch, sentUnixMs } = message;
    return {
      v, type: "skip", id: `s${this.#skipsSent}`, callId, from, to, device, toDevice, generation, seq, epoch, sentUnixMs,
    };
  }

  #acknowledgement(message) {
    this.#acksSent += 1;
    return {
      v: 1, type: "ack", id: `k${this.#acksSent}`, callId: message.callId, from: this.user, to: message.from,
      device: this.device, toDevice: message.device, generation: message.generation, sentUnixMs: message.sentUnixMs,
      epoch: message.epoch, ref: message.id,
    };
  }

  #forgetOldStreams(now) {
    if (this.#streams.size < maximumStreams && now - this.#lastTidied <= memoryMs) return;
    this.#lastTidied = now;
    const isRunning = (call) => this.#running.has(call);
    // Users without a call with this end first.
    const inOrder = Array.from(this.#streams).sort(([, a], [, b]) => (
      isRunning(a.call) - isRunning(b.call) || a.lastHeard - b.lastHeard));
    for (const [key, { call, lastHeard }] of inOrder) {
      if (!isRunning(call) && lastHeard + memoryMs <= now) this.#streams.delete(key);
    }
    for (const [key] of inOrder) {
      if (this.#streams.size >= maximumStreams) this.#streams.delete(key);
    }
    for (const [key, { call }] of this.#counters) {
      const isWaiting = this.#pending.some(({ message }) => sentKey(message) === call);
      if (!isRunning(call) && !isWaiting) this.#counters.delete(key);
    }
  }
}

/** A message that waits for its acknowledgement. */
function waiting(message, dueAt, expiresAt) {
  return { message, acknowledged: new Set(), transmissions: 0, sentAt: undefined, dueAt, expiresAt };
}

function expiry(message) {
  if (message.type === "invite") return message.ringTimeoutMs;
  return isFarewell(message) ? expiryMs : Infinity;
}

/** Sends it again now, and then as often as after the first time. */
function makeDue(one, now) {
  one.dueAt = now;
  one.transmissions = Math.min(one.transmissions, 1);
}
