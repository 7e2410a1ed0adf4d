// The search for another network path (an ICE restart): a peer connection keeps its media and its counters meanwhile.
// Each end sends its parameters once for each number. So it does not matter which end begins, or whether both do.

import { cancelTimer, ignored, notify } from "./rules-words.js";

/** How much higher the peer's number may be. */
const maximumStep = 64;

const generations = (rules) => [rules.current, rules.next].filter(Boolean);

/** Applies a fact about the path; returns undefined for other facts. */
export function takePathFact(rules, generation, fact) {
  const { restart } = generation;
  switch (fact.type) {
    case "networkChanged":
      restart.isWanted = true;
      return [];
    case "mediaMissing":
    case "pathSilent": {
      const isReason = fact.type === "pathSilent" || expectsMedia(rules);
      if (isReason && !restart.isRunning) restart.isWanted = true;
      return [];
    }
    case "iceParameters": {
      if (restart.number !== fact.restart) return ignored("ICE parameters of an earlier restart");
      restart.hasOwnParameters = true;
      const { fragment, password } = fact;
      return [rules.say({ type: "iceRestart", restart: fact.restart, fragment, password }, generation)];
    }
    case "pathChanged":
      // It may be found after the search was given up.
      if (restart.number !== fact.restart) return ignored("a path of an earlier restart");
      return endRestart(rules, generation, fact);
    default: return undefined;
  }
}

/** Whether the peer sends media, as far as it has said. A peer that holds or stops its media is silent on a path that works. */
function expectsMedia({ hold, peer, media }) {
  return hold === "none" && ["audio", "video"].some((kind) => media[kind] && peer[kind] !== "off");
}

/** The peer sent its parameters: an answer to this end's, or a restart that it begins. */
export function peerRestarts(rules, { restart: number, fragment, password, generation: of }) {
  const generation = generations(rules).find((one) => one.number === of);
  if (!generation || !isNegotiated(rules, generation)) {
    return ignored(`an ICE restart of generation ${of}, which is not in use`);
  }
  const { restart } = generation;
  const isBegun = number === restart.number;
  const isExpected = isBegun ? restart.isRunning && !restart.hasPeerParameters : number > restart.number;
  if (!isExpected || number > restart.number + maximumStep) {
    return ignored(`the ICE restart ${number} after ${restart.number}`);
  }
  const effects = isBegun ? [] : begin(rules, generation, number, "peer");
  generation.restart.hasPeerParameters = true;
  return [...effects, { do: "setIceParameters", restart: number, fragment, password, generation: of }];
}

/** Begins a restart that had to wait until both ends have each other's descriptions and agreed to the call. */
export function beginWantedRestart(rules) {
  return generations(rules).filter((one) => one.restart.isWanted && isNegotiated(rules, one))
    .flatMap((one) => begin(rules, one, one.restart.number + 1, "local"));
}

function begin(rules, generation, number, by) {
  const wasRunning = generation.restart.isRunning;
  generation.restart = { number, isRunning: true, isWanted: false, hasOwnParameters: false, hasPeerParameters: false };
  return [
    { do: "restartIce", restart: number, generation: generation.number }, ...rules.start("iceRestart"),
    ...(wasRunning ? [] : [notify("networkChangeStarted", { by })]),
  ];
}

/** The timer `iceRestart` ran out: begins again while nothing arrives, gives up when the former path works. */
export function restartTimedOut(rules) {
  return generations(rules).filter((one) => one.restart.isRunning).flatMap((one) => {
    if (one.isVerified && !one.isInterrupted) return endRestart(rules, one);
    const isUnderWay = one.restart.hasOwnParameters && !one.restart.hasPeerParameters;
    return isUnderWay ? rules.start("iceRestart") : begin(rules, one, one.restart.number + 1, "local");
  });
}

/** The end of a restart: another path, the end of its generation, or the former path. */
function endRestart(rules, generation, change) {
  generation.restart.isRunning = false;
  const isAnyRunning = generations(rules).some((one) => one.restart.isRunning);
  return [
    ...(isAnyRunning ? [] : [cancelTimer("iceRestart")]),
    notify("networkChangeEnded", { restart: change?.restart, milliseconds: change?.milliseconds }),
  ];
}

/** The generation is about to be closed. */
export function abandonRestart(rules, generation) {
  return generation.restart.isRunning ? endRestart(rules, generation) : [];
}

/** Whether both ends have each other's descriptions of it, and this end still uses it. */
function isNegotiated(rules, generation) {
  return rules.phase === "accepted" && !rules.isAcceptPending && generation.isAnswered
    && generation.failure === undefined;
}
