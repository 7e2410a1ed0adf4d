// Reads, checks and writes the call messages of docs/signaling.md.

import { byteLength, isInteger, isName, isShallow, isText, limits, protocolVersion } from "./limits.js";
import { readHead } from "./message-head.js";

/** A refused message; `code` is the code of the error for its sender. */
export class Malformed extends Error {
  constructor(code, text, ref) {
    super(text);
    this.code = code;
    this.ref = ref;
  }
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
// Half a surrogate pair is invalid: no other end could read it.
const isString = (value) => typeof value === "string" && !/\p{Surrogate}/u.test(value);
const isWhole = (value) => Number.isInteger(value) && Math.abs(value) < 2 ** 63;
const oneOf = (...values) => (value) => values.includes(value);
const isBoolean = oneOf(true, false);
const isSending = oneOf("on", "muted", "off");
const objectOf = (parts) => (value) => isObject(value) && Object.keys(parts).every((key) => parts[key](value[key]));
const media = { audio: isBoolean, video: isBoolean };
const isMedia = (value) => objectOf(media)(value) && [undefined, null, true, false].includes(value.data);
const state = { audio: isSending, video: isSending, hold: isBoolean };

/** The kind of value of each field, also for types without that field. */
const kinds = {
  v: isWhole, type: isString, id: isString, callId: isString, from: isString, to: isString, device: isString,
  toDevice: isString, generation: isWhole, seq: isWhole, epoch: isWhole, sentUnixMs: Number.isFinite,
  extension: (value) => isObject(value) && Object.entries(value).flat().every(isString),
  media: isMedia, state: objectOf(state), ringTimeoutMs: isWhole, room: isString, displayName: isString,
  address: isString, sdp: isString, code: isWhole, text: isString, winner: isString, candidate: isString, mLine: isWhole,
  restart: isWhole, fragment: isString, password: isString,
  content: isString, ref: isString,
  callState: oneOf("calling", "ringing", "connecting", "connected", "reconnecting", "ended"),
};

const isAtMost = (bytes) => (value) => byteLength(value) <= bytes;
const isWithin = (lowest, highest) => (value) => isInteger(value, lowest, highest);

function isExtension(value) {
  const entries = Object.entries(value);
  return entries.length <= limits.extensionEntries && entries.every(([key]) => isName(key))
    && entries.reduce((sum, [key, text]) => sum + key.length + byteLength(text), 0) <= limits.extensionBytes;
}

/** Letters, digits, + and / (RFC 8839 section 5.4). */
const isIceText = (shortest) => (value) => value.length >= shortest && value.length <= limits.iceTextBytes
  && /^[A-Za-z0-9+/]*$/.test(value);

/** The allowed values of each field. */
const bounds = {
  id: isName, callId: isName, from: isName, to: isName, generation: isWithin(0, limits.generation),
  sentUnixMs: (value) => value >= 0, device: isName, toDevice: isName, seq: isWithin(1, limits.sequence),
  epoch: isWithin(0, limits.epoch),
  extension: isExtension, media: (value) => value.audio || value.video, state: () => true,
  ringTimeoutMs: isWithin(1, limits.ringTimeoutMs), room: isName, displayName: isText, address: isText,
  sdp: (value) => value !== "" && isAtMost(limits.sdpBytes)(value), code: isWithin(0, limits.code), text: isText,
  winner: isName, candidate: isAtMost(limits.candidateBytes), mLine: isWithin(0, limits.mLine),
  restart: isWithin(1, limits.restart), fragment: isIceText(4), password: isIceText(22),
  content: isAtMost(limits.infoBytes), callState: () => true, ref: isName,
};

const common = [
  "id", "callId", "from", "to", "generation", "sentUnixMs", "device", "toDevice", "seq", "epoch", "extension",
];
const farewell = { may: ["code", "text", "winner"], defaults: { code: 9900, text: "" } };

/** The required and optional fields of each type, and the defaults. */
const types = {
  invite: {
    must: ["media", "sdp"], may: ["ringTimeoutMs", "state", "room", "displayName", "address"],
    defaults: { ringTimeoutMs: 30_000 },
  },
  ringing: {},
  progress: { must: ["sdp"], may: ["state"] },
  accept: { may: ["sdp", "state"] },
  reject: farewell,
  cancel: farewell,
  hangup: farewell,
  candidate: { must: ["candidate", "mLine"] },
  offer: { must: ["media", "sdp"] },
  answer: { must: ["sdp"] },
  renegotiate: { must: ["media"] },
  commit: {},
  rollback: {},
  iceRestart: { must: ["restart", "fragment", "password"] },
  state: { must: ["state"] },
  info: { must: ["content"] },
  query: {},
  status: { must: ["callState"] },
  skip: {},
  ack: { must: ["ref"] },
  gone: {},
  error: { may: ["code", "text", "ref"], defaults: { code: 400, text: "" } },
};

/** Reads one message: adds defaults, drops unknown fields. Throws {@link Malformed}. */
export function decode(text) {
  if (byteLength(text) > limits.messageBytes) throw new Malformed(413, `longer than ${limits.messageBytes} bytes`);
  if (!isShallow(text)) throw new Malformed(400, `nested more than ${limits.nesting} deep`);
  const fields = read(text);
  if (!fields) {
    const head = readHead(text);
    // The format of other versions and future types is unknown.
    if (head) requireKnown(head.version, head.type, head.id);
    throw new Malformed(400, "not a JSON object of the documented shape", head?.id);
  }
  return checked(fields);
}

/** Writes one message; throws {@link Malformed} if a peer would refuse it. */
export function encode(message) {
  const ref = isName(message.id) ? message.id : undefined;
  const bad = Object.keys(kinds).find((name) => message[name] !== undefined && !kinds[name](message[name]));
  if (bad) throw outOfBounds(bad, ref);
  checked(message);
  const text = JSON.stringify(message);
  if (byteLength(text) > limits.messageBytes) {
    throw new Malformed(413, `the message is longer than ${limits.messageBytes} bytes`, ref);
  }
  return text;
}

/** The known fields that are present; undefined if one of them has the wrong kind of value. */
function read(text) {
  let object;
  try {
    object = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(object)) return undefined;
  const isThere = (name) => Object.hasOwn(object, name) && object[name] !== null;
  const names = Object.keys(kinds).filter(isThere);
  if (!names.every((name) => kinds[name](object[name]))) return undefined;
  return Object.fromEntries(names.map((name) => [name, object[name]]));
}

function requireKnown(version, type, id) {
  const ref = isName(id) ? id : undefined;
  if (version !== protocolVersion) throw new Malformed(426, `this end speaks version ${protocolVersion} only`, ref);
  if (!Object.hasOwn(types, type ?? "")) throw new Malformed(426, "unknown type", ref);
}

/** The fields of a message of its type, all within their limits. */
function checked(fields) {
  const { v, type, id } = fields;
  requireKnown(v, type, id);
  const ref = isName(id) ? id : undefined;
  const { must = [], may = [], defaults = {} } = types[type];
  if (must.some((name) => fields[name] === undefined)) {
    throw new Malformed(400, "a field that this type must have is missing", ref);
  }
  const message = { generation: 0, sentUnixMs: 0, extension: {}, ...defaults };
  for (const name of ["v", "type", ...common, ...must, ...may]) {
    if (fields[name] !== undefined) message[name] = fields[name];
  }
  // Errors from the server have no sender.
  if (type === "error" && message.from === "") delete message.from;
  const needed = type === "error" && message.from === undefined ? ["id", "callId", "to"] : ["id", "callId", "from", "to"];
  for (const name of [...common, ...must, ...may]) {
    const isGood = message[name] === undefined ? !needed.includes(name) : bounds[name](message[name]);
    if (!isGood) throw outOfBounds(name, ref);
  }
  for (const [name, parts] of [["media", media], ["state", state]]) {
    if (!message[name]) continue;
    message[name] = Object.fromEntries(Object.keys(parts).map((key) => [key, message[name][key]]));
    if (name === "media" && fields.media.data === true) message.media.data = true;
  }
  return message;
}

function outOfBounds(field, ref) {
  return new Malformed(400, `the field ${field} is missing or out of bounds`, ref);
}
