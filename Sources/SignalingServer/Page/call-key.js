// Names a call at one end: an id belongs to the two users who say it, so nobody else can mean, end or take their call by it.

/** The name of the call with a peer; no part of it holds a blank. */
export function callKey(peer, callId) {
  return `${peer} ${callId}`;
}

/** The call that a message of this end is about. */
export function sentKey(message) {
  return callKey(message.to, message.callId);
}

/** The call that a message of the peer is about. */
export function receivedKey(message) {
  return callKey(message.from, message.callId);
}
