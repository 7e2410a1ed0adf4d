// Reads a peer connection's statistics: whether media arrives, whether it was decoded, and values for the user.

/** Reads the relevant values from a report of `RTCPeerConnection.getStats()`; those in `others` are ids of tracks that do not count. */
export function readStatistics(report, others = []) {
  const figures = { at: performance.now(), arrivals: 0, video: kindFigures(), audio: kindFigures() };
  const pairs = new Map();
  let selected;
  for (const one of report.values()) {
    if (one.type === "inbound-rtp" && others.includes(one.trackIdentifier)) figures.arrivals += one.packetsReceived ?? 0;
    else if (one.type === "inbound-rtp") readInbound(figures[one.kind], one, report, figures);
    else if (one.type === "outbound-rtp") readOutbound(figures[one.kind], one, report);
    else if (one.type === "remote-inbound-rtp") {
      figures.arrivals += one.timestamp ?? 0;
      if (one.kind in figures && Number.isFinite(one.roundTripTime)) figures.rttMs = one.roundTripTime * 1_000;
    } else if (one.type === "remote-outbound-rtp") figures.arrivals += one.timestamp ?? 0;
    else if (one.type === "candidate-pair") {
      pairs.set(one.id, one);
      // The other end may use another candidate pair.
      figures.arrivals += (one.bytesReceived ?? 0) + (one.packetsReceived ?? 0);
      if (one.selected || (one.nominated && one.state === "succeeded")) selected ??= one;
    } else if (one.type === "transport" && one.selectedCandidatePairId) selected = { id: one.selectedCandidatePairId };
  }
  figures.pairs = [...pairs.keys()];
  figures.selectedPair = selected?.id;
  const pair = selected && (pairs.get(selected.id) ?? selected);
  if (pair) {
    if (pair.currentRoundTripTime > 0) figures.rttMs = pair.currentRoundTripTime * 1_000;
    figures.localCandidate = describe(report.get(pair.localCandidateId));
    figures.remoteCandidate = describe(report.get(pair.remoteCandidateId));
  }
  return figures;
}

function kindFigures() {
  return {
    received: { bytes: 0, packets: 0, lost: 0, decoded: 0, freezes: 0, energy: 0, seconds: 0 },
    sent: { bytes: 0, packets: 0, frames: 0 },
  };
}

function readInbound(kind, one, report, figures) {
  const { received } = kind;
  received.bytes += one.bytesReceived ?? 0;
  received.packets += one.packetsReceived ?? 0;
  received.lost += one.packetsLost ?? 0;
  received.codec = codecName(report.get(one.codecId)) ?? received.codec;
  if (Number.isFinite(one.jitter)) received.jitterMs = one.jitter * 1_000;
  // Concealed samples were not received.
  const audio = (one.totalSamplesReceived ?? 0) - (one.concealedSamples ?? 0);
  received.decoded += one.kind === "video" ? one.framesDecoded ?? 0 : one.packetsReceived > 0 ? Math.max(audio, 0) : 0;
  if (one.frameWidth) [received.width, received.height] = [one.frameWidth, one.frameHeight];
  received.freezes += one.freezeCount ?? 0;
  received.energy += one.totalAudioEnergy ?? 0;
  received.seconds += one.totalSamplesDuration ?? 0;
  figures.arrivals += received.packets;
}

function readOutbound({ sent }, one, report) {
  sent.bytes += one.bytesSent ?? 0;
  sent.packets += one.packetsSent ?? 0;
  sent.frames += one.framesEncoded ?? 0;
  sent.codec = codecName(report.get(one.codecId)) ?? sent.codec;
  if (one.frameWidth) [sent.width, sent.height] = [one.frameWidth, one.frameHeight];
}

function codecName(codec) {
  return codec?.mimeType?.split("/")[1]?.toUpperCase();
}

function describe(candidate) {
  if (!candidate) return undefined;
  return `${candidate.candidateType} ${candidate.protocol ?? ""} ${candidate.address ?? ""}`.trim();
}

/** The rates per second between two readings; undefined without an earlier one. */
export function rates(before, now) {
  const seconds = before ? (now.at - before.at) / 1_000 : 0;
  if (seconds <= 0) return undefined;
  const perSecond = (pick) => Math.max((pick(now) - pick(before)) / seconds, 0);
  const bits = (pick) => (perSecond(pick) * 8) / 1_000;
  const lost = sum(now, "lost") - sum(before, "lost");
  const arrived = sum(now, "packets") - sum(before, "packets");
  return {
    at: now.at,
    receivedKbit: bits((one) => sum(one, "bytes")),
    sentKbit: bits((one) => one.video.sent.bytes + one.audio.sent.bytes),
    framesReceived: perSecond((one) => one.video.received.decoded),
    framesSent: perSecond((one) => one.video.sent.frames),
    lossPercent: lost > 0 ? (100 * lost) / (lost + Math.max(arrived, 0)) : 0,
    jitterMs: now.video.received.jitterMs ?? now.audio.received.jitterMs,
    rttMs: now.rttMs,
  };
}

function sum(figures, name) {
  return figures.video.received[name] + figures.audio.received[name];
}
