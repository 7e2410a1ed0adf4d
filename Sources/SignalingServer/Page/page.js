// The page: sign-in, sign-out, and the views.

import { CallAgent, SignInRefused } from "./callagent.js";
import { CallView, captureAdvice } from "./call-view.js";
import { byId, notice } from "./dom.js";
import { IncomingView } from "./incoming-view.js";
import { randomName } from "./limits.js";
import { PeopleView } from "./people-view.js";
import { Tones } from "./tones.js";

const tones = new Tones();
const callView = new CallView(tones, place);
const incomingView = new IncomingView(tones);
const peopleView = new PeopleView(place);
let agent;

let device;
/** The device name of this tab: all tabs of a user ring. */
function deviceName() {
  device ??= sessionStorage.getItem("device") ?? randomName("web-", 4);
  // Kept for a reload only: a copy of the tab is another device.
  sessionStorage.removeItem("device");
  return device;
}

function signalingUrl() {
  const url = new URL("./", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

/** The sign-in of this tab, for a reload. */
const session = {
  get: () => JSON.parse(sessionStorage.getItem("signIn") ?? "null"),
  set: (user, token) => sessionStorage.setItem("signIn", JSON.stringify({ user, token })),
  clear: () => sessionStorage.removeItem("signIn"),
};

async function signIn(user, token) {
  byId("sign-in-error").textContent = "";
  byId("sign-in-button").disabled = true;
  const candidate = new CallAgent(signalingUrl(), user, { device: deviceName(), token });
  try {
    await candidate.signIn();
    localStorage.setItem("user", user);
    session.set(user, token);
    begin(candidate);
  } catch (error) {
    candidate.close();
    session.clear();
    if (error.code === 409) device = undefined;
    if (error.code === 401) byId("token-details").open = true;
    byId("sign-in-error").textContent = error instanceof SignInRefused ? refusal(error) : error.message;
  } finally {
    byId("sign-in-button").disabled = false;
  }
}

function refusal({ code, message }) {
  return {
    401: "This server requires a token.", 403: "The token is not valid for that name.", 410: "The token has expired.",
    409: "That name is signed in here already. Try again, or choose another.",
  }[code] ?? message;
}

function begin(signedIn) {
  agent = signedIn;
  // For the browser console.
  globalThis.callagent = { agent, call: undefined };
  byId("who").textContent = agent.user;
  showHome(true);
  peopleView.begin(agent);
  setLink("up");
  agent.local.addEventListener("refused", ({ detail: { kind, text } }) => notice(captureAdvice(kind, text)));
  agent.addEventListener("call", ({ detail }) => show(detail));
  agent.addEventListener("incoming", ({ detail: call }) => {
    globalThis.callagent.call = call;
    incomingView.begin(call);
    // The stage does not show the call before it is accepted.
    call.addEventListener("state", () => {
      if (!call.end || "accepted" in call.timeline) show(call);
    });
  });
  agent.addEventListener("lost", () => {
    setLink("lost");
  });
  agent.addEventListener("restored", () => {
    session.set(signedIn.user, signedIn.token);
    showRenewal();
    setLink("up");
    notice("Connected to the server again.");
  });
  agent.addEventListener("tokenWillExpire", () => showRenewal("Your token expires soon. Sign in with a new one:"));
  agent.addEventListener("renewed", () => {
    session.set(signedIn.user, signedIn.token);
    showRenewal();
  });
  agent.addEventListener("renewalRefused", ({ detail: { code, text } }) => {
    notice(refusal({ code, message: text }));
    stayForCalls(text);
  });
  agent.addEventListener("expired", ({ detail: { text } }) => stayForCalls(text));
  agent.addEventListener("ended", () => stayForCalls("the token expired"));
  agent.addEventListener("closed", ({ detail: { text } }) => signedOut(text));
}

/** Without a token that the server takes, the page stays as long as there is a call. */
function stayForCalls(text) {
  if (!agent?.isExpired) return;
  if (agent.calls.length === 0) return signedOut(text);
  byId("banner").hidden = true;
  showRenewal("Your token has expired. The call goes on, and a new token signs you in again:");
}

/** The form for a new token; without a text it goes. */
function showRenewal(text) {
  byId("renewal").hidden = !text;
  byId("renewal-text").textContent = text ?? "";
  if (!text) byId("new-token").value = "";
}

/** The server ended the sign-in. */
function signedOut(text) {
  signOut();
  byId("sign-in-error").textContent = `Signed out: ${text}`;
}

/** A lost connection to the server stays visible until it is back. */
function setLink(link) {
  byId("who").dataset.link = link;
  byId("banner").hidden = link === "up";
  peopleView.setOnline(link === "up");
}

function show(call) {
  globalThis.callagent.call = call;
  callView.begin(call, agent.local);
}

async function place(peer, media) {
  try {
    await agent.call(peer, media);
  } catch (error) {
    notice(error.message);
  }
}

function signOut() {
  session.clear();
  showRenewal();
  byId("banner").hidden = true;
  agent?.close();
  agent = undefined;
  showHome(false);
}

function showHome(isHome) {
  byId("sign-in").hidden = isHome;
  byId("home").hidden = !isHome;
  byId("who").hidden = !isHome;
  byId("sign-out").hidden = !isHome;
  byId("shortcuts").hidden = !isHome;
  byId("live").hidden = true;
  byId("no-call").hidden = false;
  delete document.body.dataset.inCall;
  // On a touch screen the keyboard would cover the list of people.
  if (!isHome || matchMedia("(hover: hover)").matches) byId(isHome ? "peer" : "user").focus({ preventScroll: true });
}

byId("sign-in-form").addEventListener("submit", (event) => {
  event.preventDefault();
  signIn(byId("user").value.trim(), byId("token").value.trim() || undefined);
});
byId("renewal").addEventListener("submit", (event) => {
  event.preventDefault();
  if (agent.isExpired) setLink("lost");
  agent.renew(byId("new-token").value.trim());
});
byId("sign-out").addEventListener("click", () => {
  signOut();
  peopleView.forget();
});
// Ends the calls when the page is closed, if the browser allows it, so that the other side need not wait for the timeout.
addEventListener("pagehide", () => {
  if (device) sessionStorage.setItem("device", device);
  agent?.close();
});
// A page that comes back from the browser's cache has no connection any more.
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
const kept = session.get();
byId("user").value = new URLSearchParams(location.search).get("as") ?? kept?.user ?? localStorage.getItem("user") ?? "";
if (!globalThis.isSecureContext) {
  byId("sign-in-error").textContent = "Browsers allow camera and microphone only on https pages and on localhost.";
}
// A reload is no sign-out.
if (kept && byId("user").value === kept.user) signIn(kept.user, kept.token);
