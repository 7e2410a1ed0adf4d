// A participant of a Janus VideoRoom in a browser: it publishes a drawn picture and a tone, and receives everybody.
// A page that is not from a secure place has no camera, so the media is made here.
window.roomClient = (() => {
  const audio = new AudioContext();
  const waiting = new Map();
  const seen = {};
  let [socket, session, number] = [null, null, 0];

  function ask(janus, fields = {}) {
    const transaction = String(++number);
    return new Promise((resolve) => {
      waiting.set(transaction, resolve);
      socket.send(JSON.stringify({ janus, transaction, ...(session ? { session_id: session } : {}), ...fields }));
    });
  }
  const attach = async () => (await ask("attach", { plugin: "janus.plugin.videoroom" })).data.id;
  const message = (handle_id, body, jsep) => ask("message", { handle_id, body, ...(jsep ? { jsep } : {}) });

  function connect(handle) {
    const connection = new RTCPeerConnection();
    connection.onicecandidate = ({ candidate }) =>
      ask("trickle", { handle_id: handle, candidate: candidate ?? { completed: true } });
    return connection;
  }

  // Red with a moving white bar.
  function picture(width, height) {
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const context = canvas.getContext("2d");
    let frame = 0;
    setInterval(() => {
      context.fillStyle = "red";
      context.fillRect(0, 0, width, height);
      context.fillStyle = "white";
      context.fillRect((frame++ * 4) % (width - 10), 0, 10, height);
    }, 66);
    return canvas.captureStream(15).getVideoTracks()[0];
  }

  function tone(hertz) {
    const [oscillator, gain] = [audio.createOscillator(), audio.createGain()];
    const destination = audio.createMediaStreamDestination();
    oscillator.frequency.value = hertz;
    gain.gain.value = 0.3;
    oscillator.connect(gain).connect(destination);
    oscillator.start();
    return destination.stream.getAudioTracks()[0];
  }

  // Small video, or video in three versions (simulcast).
  async function publish(handle, hertz, isSimulcast) {
    const connection = connect(handle);
    // The largest first: Janus counts so. Limits so low that the path soon proves to take all versions.
    const sendEncodings = [1, 2, 4].map((scaleResolutionDownBy, index) => ({
      rid: "hml"[index],
      scaleResolutionDownBy,
      maxBitrate: 100_000 * (3 - index),
    }));
    const options = { direction: "sendonly", streams: [new MediaStream()] };
    connection.addTransceiver(tone(hertz), options);
    // A smaller picture than this has fewer versions in Chromium.
    if (isSimulcast) connection.addTransceiver(picture(960, 540), { ...options, sendEncodings });
    else connection.addTransceiver(picture(160, 120), options);
    await connection.setLocalDescription();
    const { jsep } = await message(handle, { request: "publish" }, connection.localDescription);
    await connection.setRemoteDescription(jsep);
  }

  // Counts frames that differ, and looks for the pitch of the audio.
  function watch(name, stream) {
    const figures = (seen[name] = { distinct: 0, hertz: null });
    const video = Object.assign(document.createElement("video"), { autoplay: true, muted: true, srcObject: stream });
    document.body.append(video);
    const context = Object.assign(document.createElement("canvas"), { width: 80, height: 60 }).getContext("2d", { willReadFrequently: true });
    const analyser = Object.assign(audio.createAnalyser(), { fftSize: 8192, smoothingTimeConstant: 0 });
    audio.createMediaStreamSource(stream).connect(analyser);
    const levels = new Float32Array(analyser.frequencyBinCount);
    let last = "";
    setInterval(() => {
      if (video.videoWidth > 0) {
        context.drawImage(video, 0, 0, 80, 60);
        const now = context.getImageData(0, 0, 80, 60).data.join();
        if (now !== last) figures.distinct++;
        last = now;
      }
      analyser.getFloatFrequencyData(levels);
      const loudest = levels.reduce((best, level, index) => (level > levels[best] ? index : best), 1);
      figures.hertz = levels[loudest] > -80 ? (loudest * audio.sampleRate) / analyser.fftSize : null;
    }, 150);
  }

  async function subscribe(room, { id, display }) {
    const handle = await attach();
    const connection = connect(handle);
    const stream = new MediaStream();
    connection.ontrack = ({ track }) => {
      stream.addTrack(track);
      if (stream.getTracks().length === 2) watch(display, stream);
    };
    const { jsep } = await message(handle, { request: "join", ptype: "subscriber", room, streams: [{ feed: id }] });
    await connection.setRemoteDescription(jsep);
    await connection.setLocalDescription();
    await message(handle, { request: "start" }, connection.localDescription);
  }

  return {
    join: async (url, room, display, hertz, isSimulcast = false) => {
      socket = new WebSocket(url, "janus-protocol");
      await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: () => reject(new Error("no connection")) }));
      socket.onmessage = ({ data }) => {
        const answer = JSON.parse(data);
        if (answer.janus !== "ack") waiting.get(answer.transaction)?.(answer);
        for (const publisher of answer.plugindata?.data.publishers ?? []) subscribe(room, publisher);
      };
      session = (await ask("create")).data.id;
      const handle = await attach();
      await message(handle, { request: "join", ptype: "publisher", room, display });
      await publish(handle, hertz, isSimulcast);
    },
    // What was received of a participant so far: frames that differ, and the pitch.
    seen: (name) => seen[name] ?? { distinct: 0, hertz: null },
  };
})();
