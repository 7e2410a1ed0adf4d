// The keys of a telephone (DTMF).

import { byId, make, notice } from "./dom.js";

const keys = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "*", "0", "#"];

export class KeypadView {
  #output = make("output", { attributes: { "aria-label": "Keys sent" } });
  #button = byId("keys");
  #element = byId("keypad");

  /** `send` sends a key and tells whether that was possible. */
  constructor(send) {
    this.send = send;
    const buttons = keys.map((key) => make("button", { type: "button", textContent: key, data: { key } }));
    this.#element.replaceChildren(this.#output, ...buttons);
    this.#element.addEventListener("click", ({ target }) => this.press(target.dataset.key));
    this.#button.addEventListener("click", () => this.show(this.#element.hidden));
  }

  get isShown() { return !this.#element.hidden; }

  show(isShown) {
    this.#element.hidden = !isShown;
    this.#button.setAttribute("aria-expanded", String(isShown));
    this.#output.textContent = "";
  }

  /** Sends a key; false when it is none. */
  press(key) {
    if (!keys.includes(key)) return false;
    if (this.send(key)) this.#output.textContent += key;
    else notice("The other side does not take keys.");
    return true;
  }
}
