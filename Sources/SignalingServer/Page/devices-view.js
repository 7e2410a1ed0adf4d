// The choice of microphone, camera and screen.

import { byId, make, notice } from "./dom.js";

const selects = { audio: ["microphone", "audioinput"], video: ["camera", "videoinput"] };

export class DevicesView {
  #local;

  constructor() {
    for (const [kind, [id]] of Object.entries(selects)) {
      byId(id).addEventListener("change", ({ target }) => {
        this.#change(this.#local?.choose(kind, target.value || undefined), "The device cannot be opened");
      });
    }
    byId("share-screen").addEventListener("click", () => {
      if (this.#local?.isSharing) this.#local.stopSharing();
      else this.#change(this.#local?.share(), "The screen is not shared");
    });
    byId("share-screen").hidden = !navigator.mediaDevices?.getDisplayMedia;
    navigator.mediaDevices?.addEventListener("devicechange", () => this.#draw());
  }

  begin(local) {
    if (this.#local !== local) {
      this.#local = local;
      // The browser names the devices once one was opened.
      for (const name of ["changed", "chosen"]) local.addEventListener(name, () => this.#draw());
    }
    this.#draw();
  }

  async #change(change, failure) {
    try {
      await change;
    } catch (error) {
      notice(`${failure}: ${error.message}`);
    }
    this.#draw();
  }

  async #draw() {
    const devices = await navigator.mediaDevices?.enumerateDevices().catch(() => []) ?? [];
    for (const [kind, [id, type]] of Object.entries(selects)) {
      const options = devices.filter((device) => device.kind === type && device.deviceId !== "")
        .map(({ deviceId, label }) => make("option", { value: deviceId, textContent: label || "unnamed" }));
      const select = byId(id);
      select.replaceChildren(make("option", { value: "", textContent: "Default" }), ...options);
      select.value = this.#local?.choice(kind) ?? "";
    }
    const isShared = this.#local?.isSharing === true;
    // The screen takes the place of the camera.
    byId("share-screen").disabled = !this.#local?.track("video");
    byId("share-screen").setAttribute("aria-pressed", String(isShared));
    byId("share-screen").textContent = isShared ? "Stop sharing" : "Share screen";
  }
}
