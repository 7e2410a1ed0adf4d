// The limits of every signaling message (docs/signaling.md). A message beyond them is refused as a whole, never truncated.

export const protocolVersion = 1;

export const limits = Object.freeze({
  messageBytes: 65_536,
  sdpBytes: 32_768,
  candidateBytes: 512,
  textBytes: 256,
  infoBytes: 4_096,
  extensionEntries: 32,
  extensionBytes: 4_096,
  sequence: 1_000_000,
  epoch: Number.MAX_SAFE_INTEGER,
  code: 99_999,
  mLine: 15,
  generation: 10_000,
  restart: 10_000,
  iceTextBytes: 256,
  ringTimeoutMs: 600_000,
  nesting: 64,
  watchedUsers: 64,
});

const encoder = new TextEncoder();

/** The length of a text in bytes of UTF-8. */
export function byteLength(text) {
  return encoder.encode(text).length;
}

/** Whether a JSON text opens at most `limits.nesting` arrays and objects at once; brackets within strings do not count. */
export function isShallow(json) {
  let level = 0;
  // A string, possibly unterminated, or one bracket.
  for (const [part] of json.matchAll(/"[^"\\]*(?:\\[^][^"\\]*)*"?|[[{\]}]/g)) {
    if (part === "[" || part === "{") level += 1;
    if (part === "]" || part === "}") level -= 1;
    if (level > limits.nesting) return false;
  }
  return true;
}

/** Whether a text is a valid user, device, call id or message id. */
export function isName(value) {
  return typeof value === "string" && /^[A-Za-z0-9._\-@+:]{1,64}$/.test(value);
}

/** Whether a text is short enough for a field that users read. */
export function isText(value) {
  return typeof value === "string" && byteLength(value) <= limits.textBytes;
}

/** The longest beginning of a text that is short enough for such a field and splits no character. */
export function bounded(text) {
  let result = String(text);
  if (byteLength(result) <= limits.textBytes) return result;
  const characters = Array.from(result).slice(0, limits.textBytes);
  do {
    characters.pop();
    result = characters.join("");
  } while (byteLength(result) > limits.textBytes);
  return result;
}

/** A whole number within bounds. */
export function isInteger(value, lowest, highest) {
  return Number.isSafeInteger(value) && value >= lowest && value <= highest;
}

/** A random name, new for each call or device. */
export function randomName(prefix = "", bytes = 12) {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return prefix + Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
