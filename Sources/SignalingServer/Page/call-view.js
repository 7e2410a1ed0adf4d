// The current call: its video and audio, its controls, its notices.

import { describeEnd } from "./callagent.js";
import { DevicesView } from "./devices-view.js";
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
  #keypad = new KeypadView((digit) => this.#call?.sendDTMF(digit) ?? false);
  #devices = new DevicesView();
  #hasShortcuts = localStorage.getItem("shortcuts") !== "off";
  #timeline = new TimelineView();
  #statistics = new StatisticsView();
  #remote = byId("remote-video");
  #additional = byId("additional-videos");
  #self = byId("self-video");

  /** `call` is called with a name and media. */
  constructor(tones, call) {
    this.tones = tones;
    byId("call-again").addEventListener("click", () => {
      // The camera stays closed if only the other side had one in the call. No call is without media.
      const { audio, video } = this.#call.wanted;
      call(this.#call.peer, { audio: audio || !video, video });
    });
    byId("full-screen").addEventListener("click", () => {
      if (document.fullscreenElement) document.exitFullscreen();
      // The whole page, since notices, the banner and calls that ring must be seen.
      else document.documentElement.requestFullscreen().catch(() => notice("The browser does not allow full screen here."));
    });
    document.addEventListener("fullscreenchange", () => {
      byId("full-screen").textContent = document.fullscreenElement ? "Exit full screen" : "Full screen";
    });
    byId("full-screen").hidden = !document.fullscreenEnabled;
    byId("shortcuts").addEventListener("click", () => this.#setShortcuts(!this.#hasShortcuts));
    this.#setShortcuts(this.#hasShortcuts);
    byId("mute").addEventListener("click", () => this.#toggle("audio", "muted"));
    byId("video").addEventListener("click", () => this.#toggleVideo());
    byId("hold").addEventListener("click", () => (this.#call.sends.hold ? this.#call.unhold() : this.#call.holdCall()));
    byId("hang-up").addEventListener("click", () => this.#call.hangUp());
    this.#remote.addEventListener("playing", () => this.#shown());
    document.addEventListener("keydown", (event) => this.#keyDown(event));
  }

  /** Shows a call from its start, or from the moment at which it was accepted here. */
  begin(call, local) {
    if (this.#call === call) return;
    this.#call = call;
    this.local = local;
    this.#timeline.begin(call);
    this.#statistics.begin(call);
    this.#keypad.show(false);
    for (const name of ["state", "media", "sending"]) call.addEventListener(name, () => this.#update(call));
    call.addEventListener("notice", ({ detail }) => this.#show(call, detail));
    local.addEventListener("changed", () => this.#update(call));
    byId("peer-name").textContent = call.displayName || call.peer;
    // The server has checked the user, and nobody the display name.
    byId("peer-user").textContent = call.displayName && call.displayName !== call.peer ? `user ${call.peer}` : "";
    this.#devices.begin(local);
    byId("after").hidden = true;
    byId("call-clock").textContent = "";
    paintFace(byId("face"), call.displayName || call.peer);
    byId("no-call").hidden = true;
    byId("live").hidden = false;
    document.body.dataset.inCall = "";
    // A focused field, such as the one for names after the sign-in, would receive the shortcuts of the call.
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
    byId("call-state").textContent = isOver ? `${describeEnd(end)}${this.#duration(call)}` : states[state];
    byId("remarks").textContent = isOver ? end.text : this.#remarks(call);
    this.#setButton("mute", sends.audio !== "on", sends.audio === "on" ? "mic" : "mic-off", sends.audio === "on" ? "Mute" : "Unmute");
    const hasVideo = media.video && sends.video === "on";
    const videoWord = !media.video ? "Add video" : hasVideo ? "Stop video" : "Start video";
    this.#setButton("video", media.video && !hasVideo, hasVideo ? "camera" : "camera-off", videoWord);
    this.#setButton("hold", sends.hold, sends.hold ? "play" : "pause", sends.hold ? "Resume" : "Hold");
    const isRunning = state === "connected" || state === "reconnecting";
    byId("hold").disabled = !isRunning;
    byId("dtmf").disabled = state !== "connected";
    byId("video").disabled = isOver || (!media.video && state !== "connected");
    for (const id of ["mute", "hang-up"]) byId(id).disabled = isOver;
    this.#showSelf(hasVideo && !isOver);
    this.#showRemote(call);
    if (isOver) this.#finish();
    else if (state === "ringing" && call.role === "caller") this.#ringBack(true);
    else this.#ringBack(false);
  }

  #remarks(call) {
    const faults = Object.entries(call.faults).filter(([kind]) => call.sends[kind] === "off");
    return [...faults.map(([kind, text]) => captureAdvice(kind, text)), this.#remarkOnPeer(call)].filter(Boolean).join("\n");
  }

  #remarkOnPeer(call) {
    const { peerSends } = call;
    if (call.hold !== "none") return holds[call.hold];
    if (call.state !== "connected") return "";
    const absent = [peerSends.audio !== "on" && "audio", call.media.video && peerSends.video !== "on" && "video"];
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

  /** The document contains no media of the other side before the call lets it through. */
  #showRemote(call) {
    const stream = call.remoteStream ?? null;
    if (this.#remote.srcObject !== stream) {
      this.#remote.srcObject = stream;
      if (stream) this.#remote.play().catch(() => notice("The browser requires a click before it plays audio."));
    }
    byId("stage").dataset.frame = String(Boolean(stream) && call.media.video && call.peerSends.video === "on");
    this.#showAdditional(call.additionalStreams);
  }

  #showAdditional(streams) {
    const present = [...this.#additional.children];
    for (const video of present) if (!streams.includes(video.srcObject)) video.remove();
    for (const stream of streams) {
      if (present.some((video) => video.srcObject === stream)) continue;
      const video = document.createElement("video");
      video.muted = video.playsInline = true;
      video.ariaLabel = "Another video of the other side";
      video.srcObject = stream;
      this.#additional.append(video);
      video.play().catch(() => {});
    }
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

  #show(call, { name, content, text, medium }) {
    if (call !== this.#call) return;
    if (name === "info") notice(`${call.peer}: ${content}`);
    if (name === "mediaWarning") notice(text);
    if (name === "captureFailed") notice(captureAdvice(medium, text));
    if (name === "mediaChangeFailed") notice(`The change of media failed: ${text}`);
    if (name === "messageNotDelivered") notice(`A message did not reach the other side: ${text}`);
    if (name === "auditUnanswered") notice("The other side does not answer through the server; the call continues.");
    if (name === "signalingLost") notice("The server cannot be reached; the call continues.");
  }

  #tick() {
    const { connected } = this.#call.timeline;
    if (connected === undefined || this.#call.end) return;
    byId("call-clock").textContent = clock(this.#call.elapsedMs - connected);
  }

  /** How long a call that is over was connected. */
  #duration({ timeline: { connected, ended } }) {
    return connected === undefined || ended === undefined ? "" : ` after ${clock(ended - connected)}`;
  }

  #setShortcuts(isOn) {
    this.#hasShortcuts = isOn;
    localStorage.setItem("shortcuts", isOn ? "on" : "off");
    byId("shortcuts").setAttribute("aria-pressed", String(isOn));
    byId("shortcuts").textContent = isOn ? "Shortcuts on" : "Shortcuts off";
  }

  #finish() {
    byId("call-clock").textContent = "";
    byId("after").hidden = false;
    clearInterval(this.#clock);
    this.#ringBack(false);
    this.#keypad.show(false);
    delete document.body.dataset.inCall;
  }

  #keyDown(event) {
    const isTyping = event.target.closest?.("input, textarea, select, dialog");
    if (!this.#hasShortcuts || !this.#call || this.#call.end || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.#keypad.isShown && this.#keypad.press(event.key)) return event.preventDefault();
    if (this.#keypad.isShown && event.key === "Escape") return this.#keypad.show(false);
    // None hangs up: a letter that was meant for another window would end the call.
    const id = { m: "mute", v: "video", h: "hold", k: "dtmf" }[event.key.toLowerCase()];
    if (!id || byId(id).disabled) return;
    event.preventDefault();
    byId(id).click();
  }
}

/** Minutes and seconds. */
function clock(ms) {
  const seconds = Math.floor(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Why a device gives nothing, and what to do. */
export function captureAdvice(medium, text) {
  const device = medium === "video" ? "camera" : "microphone";
  if (text.startsWith("NotAllowedError")) {
    return `The browser may not use the ${device}. Allow it in the address bar, then call again.`;
  }
  if (text.startsWith("NotFoundError")) return `There is no ${device}. Connect one, then call again.`;
  if (text.startsWith("NotReadableError")) return `Another program uses the ${device}. Close it, then call again.`;
  return `No ${device}: ${text}`;
}
