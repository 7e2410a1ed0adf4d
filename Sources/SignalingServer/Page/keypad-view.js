// The keypad, which sends DTMF digits.

import { byId, make, notice } from "./dom.js";

const digits = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "*", "0", "#"];

export class KeypadView {
  #output = make("output", { attributes: { "aria-label": "Digits sent" } });
  #button = byId("dtmf");
  #element = byId("keypad");

  /** `send` sends a digit and returns whether that was possible. */
  constructor(send) {
    this.send = send;
    const buttons = digits.map((digit) => make("button", { type: "button", textContent: digit, data: { digit } }));
    this.#element.replaceChildren(this.#output, ...buttons);
    this.#element.addEventListener("click", ({ target }) => this.press(target.dataset.digit));
    this.#button.addEventListener("click", () => this.show(this.#element.hidden));
  }

  get isShown() { return !this.#element.hidden; }

  show(isShown) {
    this.#element.hidden = !isShown;
    this.#button.setAttribute("aria-expanded", String(isShown));
    this.#output.textContent = "";
  }

  /** Sends a digit; returns false if the argument is not a digit. */
  press(digit) {
    if (!digits.includes(digit)) return false;
    if (this.send(digit)) this.#output.textContent += digit;
    else notice("The other side does not accept DTMF digits.");
    return true;
  }
}
