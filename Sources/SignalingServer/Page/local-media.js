// Microphone and camera: opened once, shared by all peer connections, closed soon after their last use.

const constraints = {
  audio: { audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true } },
  video: { video: { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } } },
};

/** How long an unused device stays open, so that it can be used again. */
const graceMs = 1_000;

/** Events: `changed` when a device was opened or closed; `chosen` (detail: a kind) when another device is to be
 * sent; `refused` (detail: { kind, text }) when a call goes without a device that could not be opened. */
export class LocalMedia extends EventTarget {
  #devices = new Map();
  #choices = { audio: undefined, video: undefined };
  /** The device that was chosen last, which may still be opening. */
  #latest = {};

  /** The open track of a kind, for a preview. */
  track(kind) {
    return this.#devices.get(kind)?.track;
  }

  /** Opens a device, or shares it if it is open; resolves to a separate track, to be returned with `release`. */
  async acquire(kind) {
    let device = this.#devices.get(kind);
    if (!device) {
      device = this.#add(kind);
      this.#devices.set(kind, device);
    }
    device.users += 1;
    try {
      const track = (await device.opening).clone();
      track.deviceOfLocalMedia = device;
      this.dispatchEvent(new Event("changed"));
      return track;
    } catch (error) {
      this.#leave(kind, device);
      throw error;
    }
  }

  /** The chosen device of a kind; undefined for the browser's default. */
  choice(kind) {
    return this.#choices[kind];
  }

  /** Whether the screen takes the place of the camera. */
  get isSharing() {
    return this.#devices.get("video")?.isScreen === true;
  }

  /** Sends another device from now on; rejects if it cannot be opened, and the present one stays. */
  async choose(kind, id) {
    const last = this.#choices[kind];
    this.#choices[kind] = id;
    if (!this.#devices.has(kind) || (kind === "video" && this.isSharing)) return;
    try {
      await this.#replace(kind, this.#add(kind));
    } catch (error) {
      if (this.#choices[kind] === id) this.#choices[kind] = last;
      throw error;
    }
  }

  /** Sends the screen in place of the camera, which must be open; rejects if the user chooses no screen. */
  async share() {
    const opening = navigator.mediaDevices.getDisplayMedia({ video: true });
    await this.#replace("video", this.#add("video", opening));
    if (!this.isSharing) return;
    // The browser has its own button that ends the sharing.
    const device = this.#devices.get("video");
    device.track.addEventListener("ended", () => {
      if (this.#devices.get("video") === device) this.stopSharing();
    });
  }

  /** Sends the camera again, or no video if the camera cannot be opened. */
  stopSharing() {
    if (!this.isSharing) return;
    this.#devices.delete("video");
    this.dispatchEvent(new CustomEvent("chosen", { detail: "video" }));
    this.dispatchEvent(new Event("changed"));
  }

  #add(kind, screen) {
    const id = this.#choices[kind];
    const wanted = { ...constraints[kind][kind], ...(id && { deviceId: { exact: id } }) };
    const device = { users: 0, track: undefined, isScreen: screen !== undefined };
    device.opening = (screen ?? navigator.mediaDevices.getUserMedia({ [kind]: wanted })).then((stream) => {
      device.track = stream.getTracks().find((track) => track.kind === kind);
      return device.track;
    });
    return device;
  }

  /** Opens a device in place of the present one. The senders acquire it at once; without any it closes again. */
  async #replace(kind, device) {
    this.#latest[kind] = device;
    await device.opening;
    // Another choice was made meanwhile, or nobody sends any more.
    if (this.#latest[kind] !== device || !this.#devices.has(kind)) return void device.track.stop();
    this.#devices.set(kind, device);
    device.users += 1;
    this.dispatchEvent(new CustomEvent("chosen", { detail: kind }));
    this.#leave(kind, device);
    this.dispatchEvent(new Event("changed"));
  }

  release(kind, track) {
    track.stop();
    this.#leave(kind, track.deviceOfLocalMedia);
  }

  #leave(kind, device) {
    device.users -= 1;
    if (device.users > 0) return;
    if (!device.track) return void (this.#devices.get(kind) === device && this.#devices.delete(kind));
    setTimeout(() => {
      if (device.users > 0) return;
      device.track.stop();
      if (this.#devices.get(kind) === device) this.#devices.delete(kind);
      this.dispatchEvent(new Event("changed"));
    }, graceMs);
  }
}

/** Opens the devices for a call (the browser may ask the user for permission); resolves to what can be sent and, for
 * each kind that cannot, to the reason. The devices stay open for a moment, until the call uses them. */
export async function warmUp(local, media) {
  const faults = {};
  const open = async (kind) => {
    if (!media[kind]) return "off";
    try {
      local.release(kind, await local.acquire(kind));
      return "on";
    } catch ({ name, message }) {
      faults[kind] = `${name}: ${message}`;
      local.dispatchEvent?.(new CustomEvent("refused", { detail: { kind, text: faults[kind] } }));
      return "off";
    }
  };
  const [audio, video] = await Promise.all([open("audio"), open("video")]);
  return { sends: { audio, video }, faults };
}
