// The call that goes on: its picture and sound, its controls, what it says.

import { describeEnd } from "./callagent.js";
import { byId, notice, paintFace } from "./dom.js";
import { KeypadView } from "./keypad-view.js";
import { StatisticsView } from "./statistics-view.js";
import { TimelineView } from "./timeline-view.js";

const states = {
  calling: "Calling…", ringing: "Ringing…", connecting: "Connecting…", connected: "Connected",
  reconnecting: "Connection interrupted…",
};
const holds = { none: "", held: "On hold", remotelyHeld: "Held by the other side", both: "On hold on both sides" };

export class CallView {
  #call;
  #clock;
  #keypad = new KeypadView((key) => this.#call?.sendKeys(key) ?? false);
  #timeline = new TimelineView();
  #statistics = new StatisticsView();
  #remote = byId("remote-video");
  #self = byId("self-video");

  constructor(tones) {
    this.tones = tones;
    byId("mute").addEventListener("click", () => this.#toggle("audio", "muted"));
    byId("video").addEventListener("click", () => this.#toggleVideo());
    byId("hold").addEventListener("click", () => (this.#call.sends.hold ? this.#call.unhold() : this.#call.holdCall()));
    byId("hang-up").addEventListener("click", () => this.#call.hangUp());
    this.#remote.addEventListener("playing", () => this.#shown());
    document.addEventListener("keydown", (event) => this.#keyDown(event));
  }

  /** Shows a call from its begin, or from the moment at which it was accepted here. */
  begin(call, local) {
    if (this.#call === call) return;
    this.#call = call;
    this.local = local;
    this.#timeline.begin(call);
    this.#statistics.begin(call);
    this.#keypad.show(false);
    for (const name of ["state", "media", "sending"]) call.addEventListener(name, () => this.#update(call));
    call.addEventListener("notice", ({ detail }) => this.#tell(call, detail));
    local.addEventListener("changed", () => this.#update(call));
    byId("peer-name").textContent = call.displayName || call.peer;
    byId("call-clock").textContent = "";
    paintFace(byId("face"), call.displayName || call.peer);
    byId("no-call").hidden = true;
    byId("live").hidden = false;
    document.body.dataset.inCall = "";
    // A field that has the focus, as that for names after the sign-in, would take the call's keys.
    if (document.activeElement?.matches("input, textarea")) document.activeElement.blur();
    clearInterval(this.#clock);
    this.#clock = setInterval(() => this.#tick(), 500);
    this.#update(call);
  }

  #update(call) {
    if (call !== this.#call) return;
    const { state, end, sends, media } = call;
    const isOver = end !== undefined;
    byId("stage").dataset.state = state;
    byId("call-state").textContent = isOver ? describeEnd(end) : states[state];
    byId("remarks").textContent = isOver ? end.text : this.#remarks(call);
    this.#setButton("mute", sends.audio !== "on", sends.audio === "on" ? "mic" : "mic-off", sends.audio === "on" ? "Mute" : "Unmute");
    const hasVideo = media.video && sends.video === "on";
    const videoWord = !media.video ? "Add video" : hasVideo ? "Stop video" : "Start video";
    this.#setButton("video", media.video && !hasVideo, hasVideo ? "camera" : "camera-off", videoWord);
    this.#setButton("hold", sends.hold, sends.hold ? "play" : "pause", sends.hold ? "Resume" : "Hold");
    const isRunning = state === "connected" || state === "reconnecting";
    byId("hold").disabled = !isRunning;
    byId("keys").disabled = state !== "connected";
    byId("video").disabled = isOver || (!media.video && state !== "connected");
    for (const id of ["mute", "hang-up"]) byId(id).disabled = isOver;
    this.#showSelf(hasVideo && !isOver);
    this.#showRemote(call);
    if (isOver) this.#finish();
    else if (state === "ringing" && call.role === "caller") this.#ringBack(true);
    else this.#ringBack(false);
  }

  #remarks(call) {
    const { peerSends } = call;
    if (call.hold !== "none") return holds[call.hold];
    if (call.state !== "connected") return "";
    const absent = [peerSends.audio !== "on" && "sound", call.media.video && peerSends.video !== "on" && "picture"];
    const words = absent.filter(Boolean).join(" and ");
    return words && `No ${words} from the other side`;
  }

  #setButton(id, isPressed, iconName, word) {
    const button = byId(id);
    button.setAttribute("aria-pressed", String(isPressed));
    button.querySelector("use").setAttribute("href", `#icon-${iconName}`);
    button.querySelector("span").textContent = word;
  }

  #isRingingBack = false;
  #ringBack(isOn) {
    if (isOn === this.#isRingingBack) return;
    this.#isRingingBack = isOn;
    if (isOn) this.tones.start("ringback");
    else this.tones.stop();
  }

  #showSelf(isShown) {
    const track = isShown ? this.local.track("video") : undefined;
    this.#self.hidden = !track;
    const [present] = this.#self.srcObject?.getTracks() ?? [];
    if (present === track) return;
    this.#self.srcObject = track ? new MediaStream([track]) : null;
    if (track) this.#self.play().catch(() => {});
  }

  /** Nothing of the other side is in the document before the call lets it through. */
  #showRemote(call) {
    const stream = call.remoteStream ?? null;
    if (this.#remote.srcObject !== stream) {
      this.#remote.srcObject = stream;
      if (stream) this.#remote.play().catch(() => notice("The browser wants a click before it plays sound."));
    }
    byId("stage").dataset.picture = String(Boolean(stream) && call.media.video && call.peerSends.video === "on");
  }

  #shown() {
    const tracks = this.#remote.srcObject?.getTracks() ?? [];
    if (tracks.some((track) => track.kind === "audio")) this.#call?.shown("audio");
    if (!tracks.some((track) => track.kind === "video")) return;
    const call = this.#call;
    if ("requestVideoFrameCallback" in this.#remote) this.#remote.requestVideoFrameCallback(() => call.shown("video"));
    else call.shown("video");
  }

  #toggle(kind, other) {
    this.#call.setSending({ [kind]: this.#call.sends[kind] === "on" ? other : "on" });
  }

  #toggleVideo() {
    if (this.#call.media.video) this.#toggle("video", "off");
    else this.#call.changeMedia({ audio: true, video: true });
  }

  #tell(call, { name, content, text, medium }) {
    if (call !== this.#call) return;
    if (name === "info") notice(`${call.peer}: ${content}`);
    if (name === "mediaWarning") notice(text);
    if (name === "captureFailed") notice(`no ${medium === "video" ? "camera" : "microphone"}: ${text}`);
    if (name === "mediaChangeFailed") notice(`The change of media failed: ${text}`);
    if (name === "messageNotDelivered") notice(`Something did not reach the other side: ${text}`);
    if (name === "auditUnanswered") notice("The other side does not answer by way of the server; the call goes on.");
    if (name === "signalingLost") notice("The server is out of reach; the call goes on.");
  }

  #tick() {
    const { connected } = this.#call.timeline;
    if (connected === undefined || this.#call.end) return;
    const seconds = Math.floor((this.#call.elapsedMs - connected) / 1_000);
    byId("call-clock").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }

  #finish() {
    clearInterval(this.#clock);
    this.#ringBack(false);
    this.#keypad.show(false);
    delete document.body.dataset.inCall;
  }

  #keyDown(event) {
    const isTyping = event.target.closest?.("input, textarea, dialog");
    if (!this.#call || this.#call.end || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.#keypad.isShown && this.#keypad.press(event.key)) return event.preventDefault();
    if (this.#keypad.isShown && event.key === "Escape") return this.#keypad.show(false);
    const id = { m: "mute", v: "video", h: "hold", k: "keys", e: "hang-up" }[event.key.toLowerCase()];
    if (!id || byId(id).disabled) return;
    event.preventDefault();
    byId(id).click();
  }
}
