// The WebSocket to the signaling server: signing in, coming back after a loss, presence, tokens.

import { isName, limits, protocolVersion } from "./limits.js";

const shortestPauseMs = 500;
const longestPauseMs = 8_000;
const answerMs = 10_000;

/** Refusals that trying again with the same words will not mend. */
const finalCodes = [400, 401, 403, 410, 426];

/** The server did not let this client in. */
export class SignInRefused extends Error {
  constructor(code, text) {
    super(text || `refused with code ${code}`);
    this.code = code;
  }
}

/** Events: `message` (detail: text), `open`, `lost`, `restored`, `closed` (detail: { code, text }), `presence`,
 * `watchRefused`, `iceServers`, `tokenWillExpire`. */
export class Connection extends EventTarget {
  #socket;
  #resume;
  #pauseMs = shortestPauseMs;
  #timer;
  #watched;
  #waiting;
  /** idle, connecting, open, waiting or closed. */
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

  /** Signs in; rejects with {@link SignInRefused} or when the server cannot be reached. */
  connect() {
    globalThis.addEventListener?.("online", this.#networkIsBack);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#open();
    });
  }

  /** Sends a text; false when there is no connection. */
  send(text) {
    if (this.phase !== "open") return false;
    this.#socket.send(text);
    return true;
  }

  /** Watches the presence of some users, or of everybody with "*"; again by itself after a reconnection. */
  watch(users) {
    this.#watched = users;
    this.#say({ type: "watch", users: users === "*" ? users : users.filter(isName).slice(0, limits.watchedUsers) });
  }

  /** Takes a new token for the present sign-in and those after it. */
  renew(token) {
    this.token = token;
    this.#say({ type: "renew", token });
  }

  /** Signs out. */
  close() {
    globalThis.removeEventListener?.("online", this.#networkIsBack);
    clearTimeout(this.#timer);
    this.phase = "closed";
    this.#socket?.close(1000);
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
    this.#timer = setTimeout(() => socket.close(), answerMs);
    socket.onopen = () => {
      const optional = { ...(this.token && { token: this.token }), ...(this.#resume && { resume: this.#resume }) };
      socket.send(JSON.stringify({
        v: protocolVersion, type: "signIn", user: this.user, device: this.device, ...optional,
      }));
    };
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket || typeof data !== "string") return;
      if (this.phase === "open") return this.#take(data);
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
    this.#pauseMs = shortestPauseMs;
    this.#resume = answer.resume;
    if (Number.isFinite(answer.unixMs)) this.clockOffsetMs = answer.unixMs - Date.now();
    if (this.#watched) this.watch(this.#watched);
    if (isFirst) {
      this.#waiting.resolve();
      this.#waiting = undefined;
      this.#emit("open");
    } else {
      this.#emit("restored");
    }
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
    const isReplaced = code === 1008 && reason.startsWith("replaced");
    if (isReplaced || finalCodes.includes(refusal?.code)) {
      // Two programs under one name would throw each other out in turn.
      this.phase = "closed";
      this.#emit("closed", { code: refusal?.code ?? code, text: refusal?.message ?? reason });
      return;
    }
    this.phase = "waiting";
    if (wasOpen) this.#emit("lost", { text: reason });
    // The clients of a server that comes back should not all knock at the same moment.
    this.#timer = setTimeout(() => this.#open(), this.#pauseMs * (1 - Math.random() / 2));
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
  }

  #networkIsBack = () => {
    if (this.phase !== "waiting") return;
    clearTimeout(this.#timer);
    this.#open();
  };

  #take(text) {
    // All messages of calls have one; what the server says for itself has none.
    const message = parsed(text);
    if (message?.callId !== undefined || message?.v !== protocolVersion) return this.#emit("message", text);
    switch (message.type) {
      case "presence":
        if (isName(message.user) && Array.isArray(message.devices)) {
          this.#emit("presence", { user: message.user, devices: message.devices.filter(isName) });
        }
        break;
      case "watchRefused": this.#emit("watchRefused", { code: message.code, text: message.text }); break;
      case "iceServers":
        if (Array.isArray(message.servers)) {
          this.iceServers = message.servers;
          this.#emit("iceServers", message.servers);
        }
        break;
      case "tokenWillExpire": this.#emit("tokenWillExpire", { inMs: message.inMs }); break;
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
