// A call that rings here.

import { byId, notice, paintFace } from "./dom.js";

export class IncomingView {
  #call;
  #dialog = byId("incoming");

  constructor(tones) {
    this.tones = tones;
    byId("accept").addEventListener("click", () => this.#accept(true));
    byId("accept-audio").addEventListener("click", () => this.#accept(false));
    byId("decline").addEventListener("click", () => this.#call?.reject());
    // Escape is pressed for many reasons; only the button declines a call.
    this.#dialog.addEventListener("cancel", (event) => event.preventDefault());
    this.#dialog.addEventListener("keydown", (event) => {
      if (event.key === "Escape") event.preventDefault();
    });
    // A browser may close it all the same, as with the back button of a phone.
    this.#dialog.addEventListener("close", () => {
      if (this.#call) this.#dialog.showModal();
    });
  }

  begin(call) {
    this.#call = call;
    const name = call.displayName || call.peer;
    paintFace(byId("incoming-face"), name);
    byId("incoming-name").textContent = name;
    const kind = call.media.video ? "Incoming video call" : "Incoming call";
    // The server has checked the user, and nobody the display name.
    byId("incoming-kind").textContent = name === call.peer ? kind : `${kind} from the user ${call.peer}`;
    byId("accept-audio").hidden = !call.media.video;
    call.addEventListener("state", () => {
      if (call === this.#call && call.state !== "ringing") this.#close();
    });
    document.title = `${name} calls`;
    if (!this.#dialog.open) this.#dialog.showModal();
    this.tones.start("bell");
  }

  async #accept(video) {
    const call = this.#call;
    this.tones.stop();
    this.#setBusy(true);
    if (!await call?.accept({ video })) notice("The call is over.");
    this.#setBusy(false);
  }

  #setBusy(isBusy) {
    for (const id of ["accept", "accept-audio"]) byId(id).disabled = isBusy;
  }

  #close() {
    this.#call = undefined;
    this.tones.stop();
    this.#dialog.close();
    document.title = "callagent";
  }
}
