// The statistics of a call as small plots, and its codecs, candidates and other facts.

import { byId, make } from "./dom.js";
import { Plot } from "./plot.js";

const whole = (unit) => (value) => `${Math.round(value)}${unit}`;
const tenths = (unit) => (value) => `${value.toFixed(1)}${unit}`;

export class StatisticsView {
  #plots = [];

  begin(call) {
    this.#plots = [
      new Plot("Bit rate, kbit/s", [
        { label: "in ", name: "in", pick: (one) => one.receivedKbit, format: whole("") },
        { label: "out ", name: "out", pick: (one) => one.sentKbit, format: whole("") },
      ], 100),
      new Plot("Frames", [
        { label: "in ", name: "in", pick: (one) => one.framesReceived, format: whole("/s") },
        { label: "out ", name: "out", pick: (one) => one.framesSent, format: whole("/s") },
      ], 10),
      new Plot("Round trip", [{ label: "", name: "in", pick: (one) => one.rttMs, format: tenths(" ms") }], 5),
      new Plot("Loss", [{ label: "", name: "in", pick: (one) => one.lossPercent, format: tenths(" %") }], 1),
    ];
    byId("plots").replaceChildren(...this.#plots.map((plot) => plot.element));
    byId("facts").replaceChildren();
    const plots = this.#plots;
    call.addEventListener("rates", ({ detail }) => {
      if (plots !== this.#plots) return;
      for (const plot of plots) plot.add(detail);
      this.#show(call.figures);
    });
  }

  #show(figures) {
    if (!figures) return;
    const { video, audio } = figures;
    const size = (one) => (one.width ? ` ${one.width}×${one.height}` : "");
    const rows = {
      "Video in": video.received.codec && `${video.received.codec}${size(video.received)}`,
      "Video out": video.sent.codec && `${video.sent.codec}${size(video.sent)}`,
      Audio: audio.received.codec ?? audio.sent.codec,
      Path: figures.localCandidate && `${figures.localCandidate} → ${figures.remoteCandidate ?? "?"}`,
    };
    const known = Object.entries(rows).filter(([, text]) => text);
    byId("facts").replaceChildren(...known.flatMap(([name, text]) => [
      make("dt", { textContent: name }), make("dd", { textContent: text }),
    ]));
  }
}
