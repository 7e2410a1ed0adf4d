// The descriptions of an ICE restart. The two ends exchange only credentials and candidates; a browser needs whole descriptions.

/** The credentials in a description, those of its first m-line: all media is bundled. */
export function iceParameters(sdp) {
  return { fragment: attribute(sdp, "ice-ufrag"), password: attribute(sdp, "ice-pwd") };
}

/** The answer to this browser's new offer: the peer's last description, with its new credentials. */
export function answerOf(pc, { fragment, password }) {
  const remote = pc.currentRemoteDescription;
  const own = pc.currentLocalDescription;
  // An answer names one role of DTLS; the roles stay as they are.
  const setup = remote.type === "answer" ? attribute(remote.sdp, "setup")
    : attribute(own.sdp, "setup") === "active" ? "passive" : "active";
  const agreed = sections(own.sdp).map(formats);
  const [session, ...media] = sections(remote.sdp);
  const replaced = [session, ...media.map((section, index) => keep(section, agreed[index + 1]))].join("");
  return replaced
    .replace(/^a=ice-ufrag:.*$/gm, `a=ice-ufrag:${fragment}`)
    .replace(/^a=ice-pwd:.*$/gm, `a=ice-pwd:${password}`)
    .replace(/^a=setup:.*$/gm, `a=setup:${setup}`)
    .replace(/^a=(candidate:.*|end-of-candidates)\r?\n/gm, "");
}

function attribute(sdp, name) {
  return sdp.match(new RegExp(`^a=${name}:(\\S+)`, "m"))?.[1];
}

/** The part about the session, and one part for each m-line. */
function sections(sdp) {
  return sdp.split(/^(?=m=)/m);
}

/** The payload types, or other formats, of an m-line. */
function formats(section) {
  return section.match(/^m=\S+ \S+ \S+ (.*)$/m)?.[1].trim().split(" ") ?? [];
}

/** Leaves out the formats that the two ends did not agree on: an answer may have no others. */
function keep(section, agreed = []) {
  const kept = formats(section).filter((one) => agreed.includes(one));
  if (kept.length === 0) return section;
  return section
    .replace(/^(m=\S+ \S+ \S+) .*$/m, `$1 ${kept.join(" ")}`)
    .replace(/^a=(?:rtpmap|fmtp|rtcp-fb):(\d+) .*\r?\n/gm, (line, format) => (kept.includes(format) ? line : ""));
}
