// A data channel peer in a browser, for a driver that calls its functions; aiortc_data.py does the same on aiortc.
// Echoes every message.
const connection = new RTCPeerConnection();
const channels = new Map();
const received = new Map();

function watch(channel) {
  channels.set(channel.label, channel);
  received.set(channel.label, []);
  channel.binaryType = "arraybuffer";
  channel.onmessage = ({ data }) => {
    received.get(channel.label).push(typeof data === "string" ? data : [...new Uint8Array(data)]);
    channel.send(data);
  };
}

// All candidates are in the description. A microphone is needed, since without its permission a browser hides its addresses.
async function describe(make) {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  for (const track of stream.getTracks()) connection.addTrack(track, stream);
  await connection.setLocalDescription(await make());
  while (connection.iceGatheringState !== "complete") {
    await new Promise((resolve) => connection.addEventListener("icegatheringstatechange", resolve, { once: true }));
  }
  return connection.localDescription.sdp;
}

connection.ondatachannel = ({ channel }) => watch(channel);
window.dataPeer = {
  open: async (label) => watch(connection.createDataChannel(label)),
  offer: () => describe(() => connection.createOffer()),
  answer: async (sdp) => {
    await connection.setRemoteDescription({ type: "offer", sdp });
    return describe(() => connection.createAnswer());
  },
  take: (sdp) => connection.setRemoteDescription({ type: "answer", sdp }),
  heard: async (label) => received.get(label) ?? [],
  state: async (label) => channels.get(label)?.readyState ?? "none",
  close: async (label) => channels.get(label).close(),
};
