// The page: signing in and out, and which view shows what.

import { CallAgent, SignInRefused } from "./callagent.js";
import { CallView } from "./call-view.js";
import { byId, notice } from "./dom.js";
import { IncomingView } from "./incoming-view.js";
import { randomName } from "./limits.js";
import { PeopleView } from "./people-view.js";
import { Tones } from "./tones.js";

const tones = new Tones();
const callView = new CallView(tones);
const incomingView = new IncomingView(tones);
const peopleView = new PeopleView(place);
let agent;

/** The name of this tab among the devices of its user: tabs ring together. */
function deviceName() {
  const known = sessionStorage.getItem("device");
  const device = known ?? randomName("web-", 4);
  sessionStorage.setItem("device", device);
  return device;
}

function signalingUrl() {
  const url = new URL("./", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

async function signIn(user, token) {
  byId("sign-in-error").textContent = "";
  byId("sign-in-button").disabled = true;
  const candidate = new CallAgent(signalingUrl(), user, { device: deviceName(), token });
  try {
    await candidate.signIn();
    localStorage.setItem("user", user);
    begin(candidate);
  } catch (error) {
    candidate.close();
    if (error.code === 409) sessionStorage.removeItem("device");
    if (error.code === 401) byId("token-details").open = true;
    byId("sign-in-error").textContent = error instanceof SignInRefused ? refusal(error) : error.message;
  } finally {
    byId("sign-in-button").disabled = false;
  }
}

function refusal({ code, message }) {
  return {
    401: "This server wants a token.", 403: "The token is not good for that name.", 410: "The token has expired.",
    409: "That name is signed in here already. Try again, or choose another.",
  }[code] ?? message;
}

function begin(signedIn) {
  agent = signedIn;
  // For the console.
  globalThis.callagent = { agent, call: undefined };
  byId("who").textContent = agent.user;
  byId("who").dataset.link = "up";
  showHome(true);
  peopleView.begin(agent);
  agent.addEventListener("call", ({ detail }) => show(detail));
  agent.addEventListener("incoming", ({ detail: call }) => {
    globalThis.callagent.call = call;
    incomingView.begin(call);
    // Until it is accepted nothing of it is on the stage.
    call.addEventListener("state", () => {
      if (!call.end || "accepted" in call.timeline) show(call);
    });
  });
  agent.addEventListener("lost", () => {
    byId("who").dataset.link = "lost";
    notice("The server is out of reach; trying again…");
  });
  agent.addEventListener("restored", () => {
    byId("who").dataset.link = "up";
    notice("The server is back.");
  });
  agent.addEventListener("tokenWillExpire", () => notice("Your token expires soon; sign in again with a new one."));
  agent.addEventListener("closed", ({ detail: { text } }) => {
    signOut();
    byId("sign-in-error").textContent = `Signed out: ${text}`;
  });
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
  agent?.close();
  agent = undefined;
  showHome(false);
}

function showHome(isHome) {
  byId("sign-in").hidden = isHome;
  byId("home").hidden = !isHome;
  byId("who").hidden = !isHome;
  byId("sign-out").hidden = !isHome;
  byId("live").hidden = true;
  byId("no-call").hidden = false;
  delete document.body.dataset.inCall;
  // On a touch screen the keyboard would cover who is there.
  if (!isHome || matchMedia("(hover: hover)").matches) byId(isHome ? "peer" : "user").focus({ preventScroll: true });
}

byId("sign-in-form").addEventListener("submit", (event) => {
  event.preventDefault();
  signIn(byId("user").value.trim(), byId("token").value.trim() || undefined);
});
byId("sign-out").addEventListener("click", signOut);
// A page that is closed says so, where its browser lets it: the other side need not wait for the silence.
addEventListener("pagehide", () => agent?.close());
byId("user").value = new URLSearchParams(location.search).get("as") ?? localStorage.getItem("user") ?? "";
if (!globalThis.isSecureContext) {
  byId("sign-in-error").textContent = "Browsers give camera and microphone to https pages and to localhost only.";
}
