// A client of a media server over WHIP (RFC 9725) or WHEP in a browser, for a driver that calls its functions.
// What it receives is in the element remote-video, as on the page of a call.
const connection = new RTCPeerConnection();
let [session, tag, headers, role] = [null, null, {}, null];

function show(stream) {
  document.getElementById("remote-video")?.remove();
  const video = Object.assign(document.createElement("video"), { id: "remote-video", autoplay: true, playsInline: true });
  video.srcObject = stream;
  document.body.prepend(video);
  return video.play();
}

// The m-line and the credentials of the first section, with its candidates.
function fragment() {
  const lines = connection.localDescription.sdp.split("\r\n");
  const [first, second] = lines.flatMap((line, index) => (line.startsWith("m=") ? [index] : []));
  const wanted = /^(m=|a=mid:|a=ice-ufrag:|a=ice-pwd:|a=candidate:)/;
  return lines.slice(first, second).filter((line) => wanted.test(line)).join("\r\n") + "\r\n";
}

// A restart makes the state "complete" of the former path outdated only some time later.
async function gathered() {
  while (connection.iceGatheringState !== "complete" || !fragment().includes("a=candidate:")) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

window.mediaClient = {
  // Returns the status of the response. A player asks for a microphone, too: without its permission a browser hides its addresses.
  open: async (url, wanted, token) => {
    role = wanted;
    const media = await navigator.mediaDevices.getUserMedia({ audio: true, video: role === "whip" });
    if (role === "whip") {
      for (const track of media.getTracks()) connection.addTransceiver(track, { direction: "sendonly", streams: [media] });
    } else {
      for (const kind of ["audio", "video"]) connection.addTransceiver(kind, { direction: "recvonly" });
      const stream = new MediaStream();
      connection.ontrack = ({ track }) => { stream.addTrack(track); if (stream.getTracks().length === 2) show(stream); };
    }
    headers = { Authorization: `Bearer ${token}` };
    await connection.setLocalDescription();
    const response = await fetch(`${url}/${role}`, {
      method: "POST", headers: { ...headers, "Content-Type": "application/sdp" }, body: connection.localDescription.sdp });
    if (response.status !== 201) return response.status;
    [session, tag] = [new URL(response.headers.get("Location"), url).href, response.headers.get("ETag")];
    await connection.setRemoteDescription({ type: "answer", sdp: await response.text() });
    await gathered();
    const trickled = await fetch(session, {
      method: "PATCH", headers: { ...headers, "Content-Type": "application/trickle-ice-sdpfrag", "If-Match": tag }, body: fragment() });
    return trickled.status === 204 ? 201 : trickled.status;
  },
  // Another network path (RFC 9725 section 4.3.3).
  restart: async () => {
    await connection.setLocalDescription(await connection.createOffer({ iceRestart: true }));
    await gathered();
    const response = await fetch(session, {
      method: "PATCH", headers: { ...headers, "Content-Type": "application/trickle-ice-sdpfrag", "If-Match": "*" }, body: fragment() });
    if (response.status !== 200) return response.status;
    tag = response.headers.get("ETag");
    const answer = await response.text();
    const value = (name) => answer.match(new RegExp(`a=${name}:(.*)`))[1].trim();
    const candidates = answer.split(/\r?\n/).filter((line) => line.startsWith("a=candidate:"));
    // The present answer with the credentials and candidates of the other path.
    const sections = connection.currentRemoteDescription.sdp.split(/(?=^m=)/m).map((section, index) => {
      const lines = section.split("\r\n").filter((line) => line && !/^a=(candidate:|end-of-candidates)/.test(line))
        .map((line) => line.replace(/^a=ice-ufrag:.*/, `a=ice-ufrag:${value("ice-ufrag")}`).replace(/^a=ice-pwd:.*/, `a=ice-pwd:${value("ice-pwd")}`));
      return [...lines, ...(index === 1 ? candidates : [])].map((line) => line + "\r\n").join("");
    });
    await connection.setRemoteDescription({ type: "answer", sdp: sections.join("") });
    return response.status;
  },
  close: async () => {
    const response = await fetch(session, { method: "DELETE", headers });
    connection.close();
    return response.status;
  },
};
