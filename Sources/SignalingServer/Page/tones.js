// The ring tone of an incoming call, and the ringback tone of an outgoing one.

const patterns = {
  bell: { pitches: [880, 1_108], on: 0.45, every: 2, gain: 0.12 },
  ringback: { pitches: [425], on: 1, every: 4, gain: 0.05 },
};

export class Tones {
  #context;
  #timer;

  /** Starts a tone; browsers keep a page silent until its user has interacted with it. */
  start(name) {
    this.stop();
    this.#context ??= new AudioContext();
    this.#context.resume().catch(() => {});
    const pattern = patterns[name];
    const ring = () => this.#ring(pattern);
    ring();
    this.#timer = setInterval(ring, pattern.every * 1_000);
  }

  stop() {
    clearInterval(this.#timer);
    this.#context?.suspend().catch(() => {});
  }

  #ring({ pitches, on, gain }) {
    const now = this.#context.currentTime;
    const volume = new GainNode(this.#context, { gain: 0 });
    volume.gain.setTargetAtTime(gain, now, 0.02);
    volume.gain.setTargetAtTime(0, now + on, 0.05);
    volume.connect(this.#context.destination);
    for (const frequency of pitches) {
      const tone = new OscillatorNode(this.#context, { frequency });
      tone.connect(volume);
      tone.start(now);
      tone.stop(now + on + 0.4);
    }
  }
}
