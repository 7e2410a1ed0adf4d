// What can be read of a message though it is refused: whose it is, for whom, and its place in its stream.

import { bounded, byteLength, isInteger, isName, isShallow, limits, protocolVersion } from "./limits.js";

/** Each field by itself: one that is absent, of another kind or out of bounds takes no other with it.
 * Nothing for a text that is no JSON object. */
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
    // Nobody knows which stream the message belongs to.
    isMisaddressed: isIllegible("device") || isIllegible("toDevice"),
  };
}

/** The error that the sender of the refused message is told; nothing when it cannot be told whom to answer, and for errors
 * and acknowledgements, which are never answered. */
export function answerTo(head, fault, user) {
  if (head.type === "error" || head.type === "ack" || !head.from || !head.callId) return undefined;
  return {
    v: protocolVersion, type: "error", id: "unreadable", callId: head.callId, from: user, to: head.from,
    toDevice: head.device, generation: 0, sentUnixMs: 0, code: fault.code, text: bounded(fault.message),
    ref: fault.ref ?? head.id,
  };
}
