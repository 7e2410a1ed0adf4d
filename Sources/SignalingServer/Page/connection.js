// The WebSocket to the signaling server: sign-in, reconnection, presence, tokens.

import { isName, limits, protocolVersion } from "./limits.js";

const shortestPauseMs = 500;
const longestPauseMs = 8_000;
const answerMs = 10_000;
/** How long a connection that may be dead is given to show that it is not. */
const signOfLifeMs = 3_000;
/** A timer that was late by more than this means that the machine slept. Browsers delay timers of hidden pages by up to a minute. */
const sleepMs = 90_000;
const sleepCheckMs = 5_000;

const networkEvents = ["online", "offline"];

/** Refusals that stay the same if the client tries again with the same sign-in. */
const finalCodes = [400, 426];
/** Refusals that another token ends. */
const tokenCodes = [401, 403, 410];

/** The server refused the sign-in. */
export class SignInRefused extends Error {
  constructor(code, text) {
    super(text || `refused with code ${code}`);
    this.code = code;
  }
}

/** Events: `message` (detail: text), `open`, `lost`, `restored`, `closed` (detail: { code, text }), `presence`,
 * `watchRefused`, `iceServers`, `tokenWillExpire`, `renewed`, `renewalRefused`, and `expired` (detail: { code, text }) when only a new token helps. */
export class Connection extends EventTarget {
  #socket;
  #resume;
  #pauseMs = shortestPauseMs;
  #timer;
  #watched;
  #waiting;
  #sleepCheck;
  #checkedAt;
  #hasExpired = false;
  #sentToken;
  #offeredToken;
  /** idle, connecting, open, waiting, expired or closed. */
  phase = "idle";
  /** The server's clock minus this one. */
  clockOffsetMs = 0;
  iceServers = [];

  constructor(url, user, { device = "main", token } = {}) {
    super();
    this.url = url;
    this.user = user;
    this.device = device;
    this.token = token;
  }

  /** Signs in; rejects with {@link SignInRefused}, or if the server cannot be reached. */
  connect() {
    for (const name of networkEvents) globalThis.addEventListener?.(name, this.#networkChanged);
    this.#checkedAt = Date.now();
    this.#sleepCheck = setInterval(() => this.#checkForSleep(), sleepCheckMs);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#open();
    });
  }

  /** Sends a text; returns false without a connection. */
  send(text) {
    if (this.phase !== "open") return false;
    this.#socket.send(text);
    return true;
  }

  /** Watches the presence of some users, or of all with "*"; repeated automatically after a reconnection. */
  watch(users) {
    this.#watched = users === "*" ? users : users.filter(isName).slice(0, limits.watchedUsers);
    this.#say({ type: "watch", users: this.#watched });
  }

  /** Offers a new token for the current sign-in and later ones; signs in again if the former one has expired. */
  renew(token) {
    if (this.phase === "open") {
      // The present one stays in use if the server refuses it.
      this.#offeredToken = token;
      this.#say({ type: "renew", token });
      return;
    }
    this.token = token;
    if (this.phase === "expired") this.#open();
  }

  /** Signs out. */
  close() {
    for (const name of networkEvents) globalThis.removeEventListener?.(name, this.#networkChanged);
    clearTimeout(this.#timer);
    clearInterval(this.#sleepCheck);
    this.phase = "closed";
    this.#socket?.close(1000);
  }

  /** After a sleep the server may have given the connection up, which the browser would notice minutes later. */
  #checkForSleep(now = Date.now()) {
    const hasSlept = now - this.#checkedAt > sleepMs;
    this.#checkedAt = now;
    if (hasSlept && this.phase === "open") this.#drop("the machine slept");
  }

  /** Another network leaves a connection of the former one dead. A server on this machine stays in reach without any. */
  #networkChanged = ({ type }) => {
    if (this.phase === "open") return this.#askForLife();
    if (this.phase !== "waiting" || type === "offline") return;
    clearTimeout(this.#timer);
    this.#open();
  };

  /** The server answers a `watch`; any message shows that it is there. */
  #askForLife() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#drop("the server does not answer"), signOfLifeMs);
    this.#say({ type: "watch", users: this.#watched ?? [] });
  }

  /** Gives up a connection without waiting for the browser to notice that it is dead. */
  #drop(text) {
    const socket = this.#socket;
    this.#socket = undefined;
    socket.close();
    this.#closed(1006, text);
  }

  #say(fields) {
    return this.send(JSON.stringify({ v: protocolVersion, ...fields }));
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  #open() {
    const isFirst = this.#waiting !== undefined;
    this.phase = "connecting";
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    let refusal;
    this.#sentToken = this.token;
    this.#timer = setTimeout(() => socket.close(), answerMs);
    socket.onopen = () => {
      const optional = { ...(this.#sentToken && { token: this.#sentToken }), ...(this.#resume && { resume: this.#resume }) };
      socket.send(JSON.stringify({
        v: protocolVersion, type: "signIn", user: this.user, device: this.device, ...optional,
      }));
    };
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket || typeof data !== "string") return;
      if (this.phase === "open") {
        clearTimeout(this.#timer);
        return this.#take(data);
      }
      const answer = parsed(data);
      if (answer?.type === "signedIn") this.#signedIn(answer, isFirst);
      else if (answer?.type === "refused") refusal = new SignInRefused(answer.code, answer.text);
    };
    socket.onclose = ({ code, reason }) => {
      if (socket === this.#socket) this.#closed(code, reason, refusal);
    };
  }

  #signedIn(answer, isFirst) {
    clearTimeout(this.#timer);
    this.phase = "open";
    this.#hasExpired = false;
    this.#pauseMs = shortestPauseMs;
    this.#resume = answer.resume;
    if (Number.isFinite(answer.unixMs)) this.clockOffsetMs = answer.unixMs - Date.now();
    this.#takeServers(answer.iceServers?.servers);
    if (this.#watched) this.watch(this.#watched);
    if (isFirst) {
      this.#waiting.resolve();
      this.#waiting = undefined;
      this.#emit("open");
    } else {
      this.#emit("restored");
    }
  }

  #takeServers(servers) {
    if (!Array.isArray(servers)) return;
    this.iceServers = servers;
    this.#emit("iceServers", servers);
  }

  #closed(code, reason, refusal) {
    clearTimeout(this.#timer);
    if (this.phase === "closed") return;
    const wasOpen = this.phase === "open";
    if (this.#waiting) {
      this.phase = "closed";
      this.#waiting.reject(refusal ?? new Error("the signaling server cannot be reached"));
      this.#waiting = undefined;
      return;
    }
    if (tokenCodes.includes(refusal?.code)) {
      // Another one came meanwhile.
      if (this.token !== this.#sentToken) return this.#open();
      const isFirst = !this.#hasExpired;
      this.#hasExpired = true;
      this.phase = "expired";
      this.#emit(isFirst ? "expired" : "renewalRefused", { code: refusal.code, text: refusal.message });
      return;
    }
    const isReplaced = code === 1008 && reason.startsWith("replaced");
    if (isReplaced || finalCodes.includes(refusal?.code)) {
      // Do not reconnect: two programs under one name would replace each other in turn.
      this.phase = "closed";
      this.#emit("closed", { code: refusal?.code ?? code, text: refusal?.message ?? reason });
      return;
    }
    this.phase = "waiting";
    if (wasOpen) this.#emit("lost", { text: reason });
    // Random, so that not all clients reconnect to a restarted server at the same moment.
    this.#timer = setTimeout(() => this.#open(), this.#pauseMs * (1 - Math.random() / 2));
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
  }

  #take(text) {
    // All call messages have one; messages of the server itself have none.
    const message = parsed(text);
    if (message?.callId !== undefined || message?.v !== protocolVersion) return this.#emit("message", text);
    switch (message.type) {
      case "presence":
        if (isName(message.user) && Array.isArray(message.devices)) {
          this.#emit("presence", { user: message.user, devices: message.devices.filter(isName) });
        }
        break;
      case "watchRefused": this.#emit("watchRefused", { code: message.code, text: message.text }); break;
      case "iceServers": this.#takeServers(message.servers); break;
      case "tokenWillExpire": this.#emit("tokenWillExpire", { inMs: message.inMs }); break;
      case "renewed":
        this.token = this.#offeredToken ?? this.token;
        this.#emit("renewed");
        break;
      case "renewalRefused": this.#emit("renewalRefused", { code: message.code, text: message.text }); break;
      default: break;
    }
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
