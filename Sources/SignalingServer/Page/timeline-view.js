// A waterfall of the times at which a call reached each stage.

import { stages } from "./callagent.js";
import { byId, make } from "./dom.js";

const words = {
  invited: "Invited", offerCreated: "Offer created", answerCreated: "Answer created", firstCandidate: "First candidate",
  ringing: "Ringing", answerReceived: "Answer received", iceConnected: "ICE connected", dtlsConnected: "DTLS, verified",
  firstVideoFrame: "First frame", firstAudioSample: "First audio", accepted: "Accepted", connected: "Connected",
  firstVideoShown: "Frame shown", firstAudioHeard: "Audio heard", ended: "Ended",
};

export class TimelineView {
  #call;

  begin(call) {
    this.#call = call;
    call.addEventListener("reached", () => {
      if (call === this.#call) this.#draw();
    });
    this.#draw();
  }

  #draw() {
    const { timeline } = this.#call;
    const reached = stages.filter((stage) => stage in timeline).sort((a, b) => timeline[a] - timeline[b]);
    // The end is mostly much later than the other stages and would leave no space for them.
    const last = Math.max(1, ...reached.filter((stage) => stage !== "ended").map((stage) => timeline[stage]));
    let before = 0;
    byId("timeline").replaceChildren(...reached.map((stage) => {
      const at = timeline[stage];
      const mark = make("div", { className: "mark" });
      const [from, to] = [Math.min(before, last), Math.min(at, last)];
      mark.style.marginLeft = `min(${(100 * from) / last}%, calc(100% - .4rem))`;
      mark.style.width = `${(100 * (to - from)) / last}%`;
      before = at;
      return make(
        "li", { data: { stage } }, make("span", { textContent: words[stage] }),
        make("span", { className: "ms", textContent: format(at) }), make("div", { className: "track" }, mark));
    }));
  }
}

function format(ms) {
  return ms < 10_000 ? `${ms.toFixed(1)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
