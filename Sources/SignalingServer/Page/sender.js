// The sender of one medium of one peer connection: a gate between the device and the RTP sender.

export class Sender {
  #gate = "closed";
  #track;
  #work = Promise.resolve();
  #isClosed = false;

  /** Calls `report` if a device cannot be opened. */
  constructor(kind, transceiver, local, report) {
    this.kind = kind;
    this.rtp = transceiver.sender;
    this.local = local;
    this.report = report;
    local.addEventListener?.("chosen", this.#changeDevice);
  }

  /** off: the device is closed; closed: nothing is sent; blank: silence or black frames; live: the device's media. */
  set(gate) {
    this.#gate = gate;
    this.#apply(gate);
    this.#enqueue(() => this.#reconcile());
  }

  /** One after the other: opening a device takes time, and the last state counts. */
  #enqueue(step) {
    this.#work = this.#work.then(step).catch((error) => {
      if (!this.#isClosed) this.report(this.kind, error);
    });
  }

  /** Sends DTMF digits (RFC 4733); returns false if that is not possible now. */
  sendDTMF(digits) {
    const dtmf = this.rtp.dtmf;
    if (!dtmf?.canInsertDTMF) return false;
    dtmf.insertDTMF(dtmf.toneBuffer + digits, 100, 70);
    return true;
  }

  /** Another device was chosen: a sender that has one open sends the new one. If that cannot be opened it sends nothing. */
  #changeDevice = ({ detail: kind }) => {
    if (kind !== this.kind) return;
    // Nobody sees the screen while the browser asks for the camera.
    if (this.#track?.deviceOfLocalMedia.isScreen) this.#track.enabled = false;
    this.#enqueue(() => this.#exchange());
  };

  async #exchange() {
    const last = this.#track;
    if (!last) return;
    let next;
    try {
      next = await this.local.acquire(this.kind);
    } catch (error) {
      // A closed sender has released what it had.
      if (this.#isClosed) return;
      this.#track = undefined;
      this.local.release(this.kind, last);
      await this.rtp.replaceTrack(null);
      throw error;
    }
    if (this.#isClosed) return this.local.release(this.kind, next);
    next.enabled = this.#gate === "live";
    this.#track = next;
    const replaced = this.rtp.track ? this.rtp.replaceTrack(next) : undefined;
    // Released before the end of that: if the connection is closed meanwhile, it never ends.
    this.local.release(this.kind, last);
    await replaced;
  }

  /** Releases the device at once: in a closed connection the running step may never end. */
  close() {
    this.local.removeEventListener?.("chosen", this.#changeDevice);
    this.#isClosed = true;
    this.#gate = "off";
    this.#apply("off");
    if (this.#track) this.local.release(this.kind, this.#track);
    this.#track = undefined;
  }

  /** A stricter gate takes effect at once. */
  #apply(gate) {
    if (this.#track && gate !== "live") this.#track.enabled = false;
  }

  async #reconcile() {
    const gate = this.#gate;
    const isWanted = gate === "live" || gate === "blank";
    if (isWanted && !this.#track) {
      const track = await this.local.acquire(this.kind);
      if (this.#isClosed) return this.local.release(this.kind, track);
      track.enabled = false;
      this.#track = track;
      // It may have been closed in the meantime; that change waits behind this one.
      if (this.#gate !== gate) return;
    }
    // A closed connection has released its track already.
    if (!this.#isClosed) await this.rtp.replaceTrack(isWanted ? this.#track : null);
    if (this.#isClosed || this.#gate !== gate) return;
    if (this.#track && isWanted) this.#track.enabled = gate === "live";
    if (gate === "off" && this.#track) {
      this.local.release(this.kind, this.#track);
      this.#track = undefined;
    }
  }
}
