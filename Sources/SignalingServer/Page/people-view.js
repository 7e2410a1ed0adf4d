// Who is there, and whom this user talked to.

import { describeEnd } from "./callagent.js";
import { byId, icon, make, paintFace } from "./dom.js";

const rememberedCalls = 6;

export class PeopleView {
  #people = new Map();
  #recent = [];
  #hasDirectory = true;

  /** `call` is told a name and media. */
  constructor(call) {
    this.call = call;
    byId("call-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const video = event.submitter?.value !== "audio";
      this.call(byId("peer").value.trim(), { audio: true, video });
    });
  }

  /** Begins anew for who signed in. */
  begin(agent) {
    this.#people.clear();
    this.#recent = [];
    this.#draw();
    agent.addEventListener("presence", ({ detail: { user, devices } }) => {
      if (user === agent.user) return;
      this.#people.set(user, devices.length);
      this.#draw();
    });
    // Without a directory only those are watched whom this user talked to.
    agent.addEventListener("watchRefused", () => {
      this.#hasDirectory = false;
      this.#watchKnown(agent);
    });
    agent.addEventListener("ended", ({ detail: call }) => {
      if (!this.#people.has(call.peer)) this.#people.set(call.peer, 0);
      if (!this.#hasDirectory) this.#watchKnown(agent);
      this.#recent.unshift({ peer: call.peer, role: call.role, end: call.end, media: call.media });
      this.#recent.length = Math.min(this.#recent.length, rememberedCalls);
      this.#draw();
    });
    this.#hasDirectory = true;
    agent.watch("*");
  }

  #watchKnown(agent) {
    agent.watch(Array.from(this.#people.keys()));
  }

  #draw() {
    const online = Array.from(this.#people).sort(([a, here], [b, there]) => Math.sign(there) - Math.sign(here)
      || a.localeCompare(b));
    byId("people-list").replaceChildren(...online.map(([user, devices]) => this.#row(
      user, devices === 0 ? "offline" : devices === 1 ? "online" : `online, ${devices} devices`, devices > 0)));
    byId("nobody").hidden = online.some(([, devices]) => devices > 0);
    byId("recent").hidden = this.#recent.length === 0;
    byId("recent-list").replaceChildren(...this.#recent.map(({ peer, role, end }) => make(
      "li", { data: { reason: end.reason } },
      make("span", { className: "name" }, make("b", { textContent: peer }),
        make("small", { textContent: `${role === "caller" ? "Outgoing" : "Incoming"} · ${describeEnd(end)}` })))));
  }

  #row(user, text, isOnline) {
    const button = (name, label, media) => make("button", {
      className: "round small", type: "button", onclick: () => this.call(user, media),
      attributes: { "aria-label": `${label} ${user}` }, data: { call: media.video ? "video" : "audio" },
    }, icon(name));
    return make(
      "li", { data: { user, online: isOnline } }, paintFace(make("span", { className: "face" }), user),
      make("span", { className: "name" }, make("b", { textContent: user }), make("small", { textContent: text })),
      button("phone", "Call with sound only:", { audio: true, video: false }),
      button("camera", "Call with video:", { audio: true, video: true }));
  }
}
