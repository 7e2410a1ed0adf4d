// One user's end of the signaling: combines connection and delivery. Sends and receives messages once and in order.

import { Connection } from "./connection.js";
import { Delivery, maximumPending } from "./delivery.js";
import { readHead } from "./message-head.js";
import { decode, encode } from "./message.js";

/** Events: `message` (detail: a checked message), `failed` (detail: { message, code, text }, the code of the refusal),
 * and those of the connection. */
export class Line extends EventTarget {
  #delivery;
  #alarm;

  constructor(url, user, options) {
    super();
    this.connection = new Connection(url, user, options);
    this.user = user;
    this.device = this.connection.device;
    this.#delivery = new Delivery(user, this.device, Date.now());
    this.connection.addEventListener("message", ({ detail }) => this.#receive(detail));
    this.connection.addEventListener("lost", () => {
      this.#delivery.connectionLost();
      this.#setAlarm();
    });
    this.connection.addEventListener("restored", () => {
      this.#carryOut(this.#delivery.connectionRestored(performance.now()));
    });
    for (const name of [
      "lost", "restored", "closed", "presence", "watchRefused", "iceServers", "tokenWillExpire",
      "renewed", "renewalRefused", "expired",
    ]) {
      this.connection.addEventListener(name, ({ detail }) => this.#emit(name, detail));
    }
  }

  /** ms since 1970, by the clock for message timestamps. */
  get unixMs() {
    return Date.now() + this.connection.clockOffsetMs;
  }

  /** Sends a message from this device, with timestamp and number. */
  send(message) {
    const whole = {
      v: 1, ...message, from: this.user, device: this.device, sentUnixMs: message.sentUnixMs ?? this.unixMs,
    };
    this.#carryOut(this.#delivery.send(whole, performance.now()));
  }

  /** Stops repeating the messages of an ended call, except its farewell. */
  forget(call) {
    this.#delivery.forget(call);
    this.#setAlarm();
  }

  close() {
    clearTimeout(this.#alarm);
    this.connection.close();
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  #carryOut(actions) {
    for (const action of actions) {
      if (action.transmit) this.#transmit(action.transmit);
      if (action.deliver) this.#emit("message", action.deliver);
      if (action.failed) this.#emit("failed", { message: action.failed, code: action.code, text: reason(action) });
    }
    this.#setAlarm();
  }

  #transmit(message) {
    let text;
    try {
      text = encode(message);
    } catch (error) {
      return this.#carryOut(this.#delivery.refusedHere(message, error, performance.now()));
    }
    this.connection.send(text);
  }

  /** Wakes the delivery when the next repetition is due. */
  #setAlarm() {
    clearTimeout(this.#alarm);
    const next = this.#delivery.nextWake;
    if (next === Infinity || this.connection.phase === "closed") return;
    this.#alarm = setTimeout(() => this.#carryOut(this.#delivery.wake(performance.now())), next - performance.now());
  }

  #receive(text) {
    let message;
    try {
      message = decode(text);
    } catch (error) {
      const head = readHead(text);
      if (head) this.#carryOut(this.#delivery.refuse(head, error, performance.now()));
      return;
    }
    if (message.to !== this.user || (message.toDevice ?? this.device) !== this.device) return;
    this.#carryOut(this.#delivery.receive(message, performance.now()));
  }
}

/** Why a message was not delivered, as text for the user. */
function reason({ why, code, text }) {
  switch (why) {
    case "unacknowledged": return "nobody acknowledged it in time";
    case "tooManyWait": return `${maximumPending} messages wait for their acknowledgement already`;
    default: return text || `it was refused with code ${code}`;
  }
}
