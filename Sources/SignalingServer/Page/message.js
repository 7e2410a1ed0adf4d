// One message of a call, as docs/signaling.md describes it: reading, checking, writing.

import { byteLength, isInteger, isName, isText, limits, protocolVersion } from "./limits.js";

/** A message that is refused; `code` is what its sender is told. */
export class Malformed extends Error {
  constructor(code, text, ref) {
    super(text);
    this.code = code;
    this.ref = ref;
  }
}

const optional = (check) => (value) => value === undefined || value === null || check(value);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isSdp = (value) => typeof value === "string" && value !== "" && byteLength(value) <= limits.sdpBytes;
const isMedia = (value) => isObject(value) && typeof value.audio === "boolean" && typeof value.video === "boolean"
  && (value.audio || value.video);
const sendings = ["on", "muted", "off"];
const isState = (value) => isObject(value) && sendings.includes(value.audio) && sendings.includes(value.video)
  && typeof value.hold === "boolean";
const isCode = (value) => isInteger(value, 0, limits.code);
const callStates = ["calling", "ringing", "connecting", "connected", "reconnecting", "ended"];
const isExtension = (value) => isObject(value) && Object.keys(value).length <= limits.extensionEntries
  && Object.entries(value).every(([key, text]) => isName(key) && typeof text === "string")
  && Object.entries(value).reduce((sum, [key, text]) => sum + key.length + byteLength(text), 0)
    <= limits.extensionBytes;

const farewell = { code: optional(isCode), text: optional(isText), winner: optional(isName) };

/** The fields of each type beside those that every message has. */
const types = {
  invite: {
    media: isMedia, sdp: isSdp, ringTimeoutMs: optional((value) => isInteger(value, 1, limits.ringTimeoutMs)),
    state: optional(isState), room: optional(isName), displayName: optional(isText), address: optional(isText),
  },
  ringing: {},
  progress: { sdp: isSdp, state: optional(isState) },
  accept: { sdp: optional(isSdp), state: optional(isState) },
  reject: farewell,
  cancel: farewell,
  hangup: farewell,
  candidate: {
    candidate: (value) => typeof value === "string" && byteLength(value) <= limits.candidateBytes,
    mLine: (value) => isInteger(value, 0, limits.mLine),
  },
  offer: { media: isMedia, sdp: isSdp },
  answer: { sdp: isSdp },
  renegotiate: { media: isMedia },
  commit: {},
  rollback: {},
  state: { state: isState },
  info: { content: (value) => typeof value === "string" && byteLength(value) <= limits.infoBytes },
  query: {},
  status: { callState: (value) => callStates.includes(value) },
  ack: { ref: isName },
  gone: {},
  error: { code: optional(isCode), text: optional(isText), ref: optional(isName) },
};

/** The fields of every message. */
const common = {
  id: isName, callId: isName, to: isName, device: optional(isName), toDevice: optional(isName),
  sentUnixMs: optional((value) => Number.isFinite(value) && value >= 0),
  generation: optional((value) => isInteger(value, 0, limits.generation)),
  seq: optional((value) => isInteger(value, 1, limits.sequence)),
  extension: optional(isExtension),
};

/** Reads one message; throws {@link Malformed}. */
export function decode(text) {
  if (byteLength(text) > limits.messageBytes) throw new Malformed(413, `longer than ${limits.messageBytes} bytes`);
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    throw new Malformed(400, "not a JSON object of the documented shape");
  }
  if (!isObject(message)) throw new Malformed(400, "not a JSON object of the documented shape");
  check(message);
  message.generation ??= 0;
  if (message.type === "error") message.code ??= 400;
  if (["reject", "cancel", "hangup"].includes(message.type)) message.code ??= 9900;
  if (message.type === "invite") message.ringTimeoutMs ??= 30_000;
  return message;
}

/** Writes one message; throws {@link Malformed} for what a peer would refuse. */
export function encode(message) {
  check(message);
  const text = JSON.stringify(message);
  if (byteLength(text) > limits.messageBytes) {
    throw new Malformed(413, `the message is longer than ${limits.messageBytes} bytes`, message.id);
  }
  return text;
}

function check(message) {
  const ref = isName(message.id) ? message.id : undefined;
  if (message.v !== protocolVersion) {
    throw new Malformed(426, `this end speaks version ${protocolVersion} only`, ref);
  }
  const fields = Object.hasOwn(types, message.type) ? types[message.type] : undefined;
  if (!fields) throw new Malformed(426, "unknown type", ref);
  const isServer = message.type === "error" && message.from === undefined;
  if (!isServer && !isName(message.from)) throw outOfBounds("from", ref);
  for (const [name, isGood] of [...Object.entries(common), ...Object.entries(fields)]) {
    if (!isGood(message[name])) throw outOfBounds(name, ref);
  }
}

function outOfBounds(field, ref) {
  return new Malformed(400, `the field ${field} is missing or out of bounds`, ref);
}

/** The error that the sender of an unreadable message is told; nothing when it cannot be told whom to answer. */
export function answerToUnreadable(text, fault, user) {
  let head;
  try {
    head = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(head) || head.type === "error" || head.type === "ack") return undefined;
  if (!isName(head.from) || !isName(head.callId)) return undefined;
  const ref = fault.ref ?? (isName(head.id) ? head.id : undefined);
  return {
    v: protocolVersion, type: "error", id: "unreadable", callId: head.callId, from: user, to: head.from,
    sentUnixMs: 0, code: fault.code, text: fault.message, ...(ref && { ref }),
  };
}
