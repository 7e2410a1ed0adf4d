// The key of a call at one end. It contains the peer, so that another user with the same call id cannot end or take the call.

/** The key of the call with a peer; no part of it contains a space. */
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
