// One user's end of the signaling: messages go out and come in, in order and once (connection and delivery together).

import { Connection } from "./connection.js";
import { Delivery } from "./delivery.js";
import { answerToUnreadable, decode, encode } from "./message.js";

/** Events: `message` (detail: a checked message), `failed` (detail: { message, text }), and those of the connection. */
export class Line extends EventTarget {
  #delivery;
  #alarm;

  constructor(url, user, options) {
    super();
    this.connection = new Connection(url, user, options);
    this.user = user;
    this.device = this.connection.device;
    this.#delivery = new Delivery(user, this.device);
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
    ]) {
      this.connection.addEventListener(name, ({ detail }) => this.#emit(name, detail));
    }
  }

  /** ms since 1970 by the clock that messages are stamped with. */
  get unixMs() {
    return Date.now() + this.connection.clockOffsetMs;
  }

  /** Sends a message, stamped, numbered and from this device. */
  send(message) {
    const whole = {
      v: 1, ...message, from: this.user, device: this.device, sentUnixMs: message.sentUnixMs ?? this.unixMs,
    };
    this.#carryOut(this.#delivery.send(whole, performance.now()));
  }

  /** Repeats nothing of a call that is over, but its farewell. */
  forget(callId) {
    this.#delivery.forget(callId);
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
      if (action.failed) this.#emit("failed", { message: action.failed, text: "nobody acknowledged it in time" });
    }
    this.#setAlarm();
  }

  #transmit(message) {
    try {
      this.connection.send(encode(message));
    } catch (error) {
      this.#emit("failed", { message, text: error.message });
    }
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
      const answer = answerToUnreadable(text, error, this.user);
      if (answer) this.connection.send(JSON.stringify({ ...answer, device: this.device }));
      return;
    }
    if (message.to !== this.user || (message.toDevice ?? this.device) !== this.device) return;
    this.#carryOut(this.#delivery.receive(message, performance.now()));
  }
}
