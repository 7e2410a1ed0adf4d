// What one peer connection sends of one kind: a gate between the device and the RTP sender.

export class Sender {
  #gate = "closed";
  #track;
  #work = Promise.resolve();
  #isClosed = false;

  /** `report` hears of a device that cannot be opened. */
  constructor(kind, transceiver, local, report) {
    this.kind = kind;
    this.rtp = transceiver.sender;
    this.local = local;
    this.report = report;
  }

  /** off: the device is let go; closed: nothing leaves; blank: silence or black pictures; live: what the device gives. */
  set(gate) {
    this.#gate = gate;
    this.#apply(gate);
    // One after the other: opening a device takes its time, and the last word counts.
    this.#work = this.#work.then(() => this.#settle()).catch((error) => {
      if (!this.#isClosed) this.report(this.kind, error);
    });
  }

  /** Sends DTMF keys (RFC 4733); false when that is not possible now. */
  sendKeys(keys) {
    const dtmf = this.rtp.dtmf;
    if (!dtmf?.canInsertDTMF) return false;
    dtmf.insertDTMF(dtmf.toneBuffer + keys, 100, 70);
    return true;
  }

  /** Lets the device go; the connection is closed. */
  close() {
    this.#isClosed = true;
    this.set("off");
  }

  /** Less to send is in force at once. */
  #apply(gate) {
    if (this.#track && gate !== "live") this.#track.enabled = false;
  }

  async #settle() {
    const gate = this.#gate;
    const isWanted = gate === "live" || gate === "blank";
    if (isWanted && !this.#track) {
      const track = await this.local.acquire(this.kind);
      track.enabled = false;
      this.#track = track;
      // It may have been closed meanwhile; whoever did that waits behind this.
      if (this.#gate !== gate) return;
    }
    // A closed connection has let go of its track already.
    if (!this.#isClosed) await this.rtp.replaceTrack(isWanted ? this.#track : null);
    if (this.#gate !== gate) return;
    if (this.#track && isWanted) this.#track.enabled = gate === "live";
    if (gate === "off" && this.#track) {
      this.local.release(this.kind, this.#track);
      this.#track = undefined;
    }
  }
}
