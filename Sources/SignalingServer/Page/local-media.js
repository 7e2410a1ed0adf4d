// Microphone and camera: opened once, shared by all peer connections, closed soon after the last that used them.

const constraints = {
  audio: { audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true } },
  video: { video: { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } } },
};

/** How long a device stays open for whoever takes it over. */
const graceMs = 1_000;

/** Events: `changed`, when a device was opened or closed. */
export class LocalMedia extends EventTarget {
  #devices = new Map();

  /** The open track of a kind, for a preview. */
  track(kind) {
    return this.#devices.get(kind)?.track;
  }

  /** Opens a device, or joins in using it; resolves to a track of the caller's own, to be given back with `release`. */
  async acquire(kind) {
    let device = this.#devices.get(kind);
    if (!device) {
      device = { users: 0, track: undefined };
      device.opening = navigator.mediaDevices.getUserMedia(constraints[kind]).then((stream) => {
        [device.track] = stream.getTracks();
        return device.track;
      });
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

  release(kind, track) {
    track.stop();
    this.#leave(kind, track.deviceOfLocalMedia);
  }

  #leave(kind, device) {
    device.users -= 1;
    if (device.users > 0) return;
    if (!device.track) return void this.#devices.delete(kind);
    setTimeout(() => {
      if (device.users > 0 || this.#devices.get(kind) !== device) return;
      device.track.stop();
      this.#devices.delete(kind);
      this.dispatchEvent(new Event("changed"));
    }, graceMs);
  }
}

/** Opens what a call needs, asking the user when the browser wants that, and tells what can be sent.
 * The devices stay open for a moment, in which the call takes them over. */
export async function warmUp(local, media) {
  const open = async (kind) => {
    if (!media[kind]) return "off";
    try {
      local.release(kind, await local.acquire(kind));
      return "on";
    } catch {
      return "off";
    }
  };
  const [audio, video] = await Promise.all([open("audio"), open("video")]);
  return { audio, video };
}
