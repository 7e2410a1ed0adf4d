// The readable fields of a refused message: sender, receiver, and place in its stream.

import { bounded, byteLength, isInteger, isName, isShallow, limits, protocolVersion } from "./limits.js";

/** Reads each field separately: an absent or bad field does not affect the others.
 * Returns undefined for a text that is no JSON object. */
export function readHead(text) {
  if (byteLength(text) > limits.messageBytes || !isShallow(text)) return undefined;
  let fields;
  try {
    fields = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) return undefined;
  const name = (key) => (isName(fields[key]) ? fields[key] : undefined);
  const isIllegible = (key) => (fields[key] ?? undefined) !== undefined && name(key) === undefined;
  return {
    version: fields.v, type: fields.type, id: name("id"), callId: name("callId"), from: name("from"), to: name("to"),
    device: name("device"), toDevice: name("toDevice"),
    seq: isInteger(fields.seq, 1, limits.sequence) ? fields.seq : undefined,
    epoch: isInteger(fields.epoch ?? 0, 0, limits.epoch) ? fields.epoch ?? 0 : undefined,
    isMisaddressed: isIllegible("device") || isIllegible("toDevice"),
  };
}

/** The error for the sender of a refused message; undefined if the sender is unknown, and for errors and acknowledgements,
 * which are never answered. */
export function answerTo(head, fault, user) {
  if (head.type === "error" || head.type === "ack" || !head.from || !head.callId) return undefined;
  return {
    v: protocolVersion, type: "error", id: "unreadable", callId: head.callId, from: user, to: head.from,
    toDevice: head.device, generation: 0, sentUnixMs: 0, code: fault.code, text: bounded(fault.message),
    ref: fault.ref ?? head.id,
  };
}
