// The users who are online, and the recent calls.

import { describeEnd } from "./callagent.js";
import { byId, icon, make, paintFace } from "./dom.js";

const rememberedCalls = 6;
/** Ends that mean that nobody here took the call. */
const missed = ["remoteCancelled", "ringTimeout", "remoteRingTimeout", "remoteLost"];

/** The recent calls of a user in this tab, which survive a reload. */
const kept = {
  get: (of) => {
    const { user, calls } = JSON.parse(sessionStorage.getItem("recent") ?? "{}");
    return user === of ? calls : [];
  },
  set: (user, calls) => sessionStorage.setItem("recent", JSON.stringify({ user, calls })),
  clear: () => sessionStorage.removeItem("recent"),
};

export class PeopleView {
  #people = new Map();
  #recent = [];
  #hasDirectory = true;
  #isOnline = true;

  /** `call` is called with a name and media. */
  constructor(call) {
    this.call = call;
    byId("call-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const video = event.submitter?.value !== "audio";
      this.call(byId("peer").value.trim(), { audio: true, video });
    });
  }

  /** Starts again for a new sign-in. */
  begin(agent) {
    this.#recent = kept.get(agent.user);
    this.#people = new Map(this.#recent.map(({ peer }) => [peer, 0]));
    this.#draw();
    agent.addEventListener("presence", ({ detail: { user, devices } }) => {
      if (user === agent.user) return;
      this.#people.set(user, devices.length);
      this.#draw();
    });
    // Without a directory the page watches only the users of recent calls.
    agent.addEventListener("watchRefused", () => {
      this.#hasDirectory = false;
      this.#draw();
      this.#watchKnown(agent);
    });
    agent.addEventListener("ended", ({ detail: call }) => {
      const { peer, role, end: { reason } } = call;
      const isMissed = role === "callee" && !("accepted" in call.timeline) && missed.includes(reason);
      this.#remember(agent, { peer, role, reason, isMissed });
    });
    agent.addEventListener("missed", ({ detail: { peer, id } }) => {
      this.#remember(agent, { peer, id, role: "callee", reason: "missed", isMissed: true });
    });
    agent.addEventListener("taken", ({ detail: { peer, id } }) => {
      this.#keep(agent, this.#recent.filter((call) => call.peer !== peer || call.id !== id));
    });
    this.#hasDirectory = true;
    agent.watch("*");
  }

  /** Without the server nobody can be called. */
  setOnline(isOnline) {
    this.#isOnline = isOnline;
    for (const button of document.querySelectorAll("#people button, #call-again")) button.disabled = !isOnline;
  }

  /** Forgets the recent calls, after which somebody else may use the tab. */
  forget() {
    kept.clear();
  }

  #remember(agent, call) {
    if (!this.#people.has(call.peer)) this.#people.set(call.peer, 0);
    if (!this.#hasDirectory) this.#watchKnown(agent);
    this.#keep(agent, [{ ...call, at: Date.now() }, ...this.#recent].slice(0, rememberedCalls));
  }

  #keep(agent, calls) {
    this.#recent = calls;
    kept.set(agent.user, calls);
    this.#draw();
  }

  #watchKnown(agent) {
    agent.watch(Array.from(this.#people.keys()));
  }

  #draw() {
    // The list is made anew; who had the focus keeps it.
    const focused = document.activeElement?.closest?.("li[data-user]")?.dataset.user;
    const call = document.activeElement?.dataset?.call;
    const online = Array.from(this.#people).sort(([a, here], [b, there]) => Math.sign(there) - Math.sign(here)
      || a.localeCompare(b));
    byId("people-list").replaceChildren(...online.map(([user, devices]) => this.#row(
      user, devices === 0 ? "offline" : devices === 1 ? "online" : `online, ${devices} devices`, devices > 0)));
    if (focused) byId("people-list").querySelector(`li[data-user="${CSS.escape(focused)}"] [data-call="${call}"]`)?.focus();
    byId("nobody").hidden = !this.#hasDirectory || online.some(([, devices]) => devices > 0);
    byId("no-directory").hidden = this.#hasDirectory;
    byId("recent").hidden = this.#recent.length === 0;
    byId("recent-list").replaceChildren(...this.#recent.map(({ peer, role, reason, isMissed, at }) => make(
      "li", { data: { reason, missed: isMissed } },
      make("span", { className: "name" }, make("b", { textContent: peer }),
        make("small", { textContent: [
          isMissed ? "Missed" : role === "caller" ? "Outgoing" : "Incoming", isMissed ? "" : describeEnd({ reason }),
          new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }),
        ].filter(Boolean).join(" · ") })))));
    this.setOnline(this.#isOnline);
  }

  #row(user, text, isOnline) {
    const button = (name, label, media) => make("button", {
      className: "round small", type: "button", onclick: () => this.call(user, media),
      attributes: { "aria-label": `${label} ${user}` }, data: { call: media.video ? "video" : "audio" },
    }, icon(name));
    return make(
      "li", { data: { user, online: isOnline } }, paintFace(make("span", { className: "face" }), user),
      make("span", { className: "name" }, make("b", { textContent: user }), make("small", { textContent: text })),
      button("phone", "Call with audio only:", { audio: true, video: false }),
      button("camera", "Call with video:", { audio: true, video: true }));
  }
}
