// Decides from statistics, read again and again, when the peer is silent. A plain value: what it reports is a list of facts.

const kinds = ["audio", "video"];
/** Nothing at all arrived for so long. */
const interruptedMs = 2_000;
const pathSilentMs = 1_500;
/** Media that arrived in each look is missed sooner: after so long, and so many looks. */
const mediaMissingMs = 500;
const mediaMissingLooks = 2;
/** After so many looks with packets, media is regular. */
const regularLooks = 4;

export class Silence {
  #arrivals = -1;
  #silentMs = 0;
  #reportedMs = 0;
  #isInterrupted = false;
  #packets = 0;
  /** How many looks one after the other had packets of media. */
  #looks = 0;
  #missing = { looks: 0, milliseconds: 0 };

  /** Takes statistics, and the time since those before them; returns the types of the facts that they show. */
  look(figures, milliseconds) {
    return [...this.#lookForMedia(figures, milliseconds), ...this.#lookForAnything(figures, milliseconds)];
  }

  /** The connection says that it is broken; it is interrupted until something arrives. */
  interrupt() {
    return this.#setInterrupted(true);
  }

  /** The rules know whether the peer has stopped its media. */
  #lookForMedia(figures, milliseconds) {
    const packets = kinds.reduce((sum, kind) => sum + figures[kind].received.packets, 0);
    if (packets !== this.#packets) {
      this.#packets = packets;
      this.#looks += 1;
      this.#missing = { looks: 0, milliseconds: 0 };
      return [];
    }
    if (this.#looks < regularLooks) this.#looks = 0;
    this.#missing.looks += 1;
    this.#missing.milliseconds += milliseconds;
    const isMissing = this.#missing.looks >= mediaMissingLooks && this.#missing.milliseconds >= mediaMissingMs;
    if (this.#looks === 0 || !isMissing) return [];
    this.#looks = 0;
    return ["mediaMissing"];
  }

  #lookForAnything({ arrivals }, milliseconds) {
    // It falls when the browser forgets the pairs of a former path.
    if (arrivals < this.#arrivals) this.#arrivals = arrivals;
    if (arrivals > this.#arrivals) {
      [this.#arrivals, this.#silentMs, this.#reportedMs] = [arrivals, 0, 0];
      return this.#setInterrupted(false);
    }
    this.#silentMs += milliseconds;
    const isPathSilent = this.#silentMs - this.#reportedMs >= pathSilentMs;
    if (isPathSilent) this.#reportedMs = this.#silentMs;
    return [
      ...(isPathSilent ? ["pathSilent"] : []), ...(this.#silentMs >= interruptedMs ? this.#setInterrupted(true) : []),
    ];
  }

  #setInterrupted(isInterrupted) {
    if (this.#isInterrupted === isInterrupted) return [];
    this.#isInterrupted = isInterrupted;
    return [isInterrupted ? "interrupted" : "resumed"];
  }
}
