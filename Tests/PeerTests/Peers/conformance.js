// The page's results in the format of docs/signaling.md, "Conformance". Runs in the page, next to its modules.

const { Delivery } = await import('./delivery.js');
const { Routing } = await import('./routing.js');
const { Rules } = await import('./rules.js');
const { Silence } = await import('./silence.js');
const { readHead } = await import('./message-head.js');
const { decode, encode } = await import('./message.js');

/** Expands the repetitions in a text: `(ab*3)` becomes `ababab`. */
const writtenOut = (text) => text.replace(/\(([^()*]+)\*(\d+)\)/g, (_, part, count) => part.repeat(Number(count)));

/** The decoded message of a text, or the reason for its refusal. */
function decoded(text) {
  try {
    return { message: decode(text) };
  } catch ({ code, ref }) {
    return { refused: { code, ref } };
  }
}

/** For each step of one end's delivery: the actions, whether nothing waits, and the time of the next wake. */
function deliver(user, device, epoch, steps) {
  const delivery = new Delivery(user, device, epoch);
  const receive = (text, at) => {
    let message;
    try {
      message = decode(text);
    } catch (fault) {
      const head = readHead(text);
      return head ? delivery.refuse(head, fault, at) : [];
    }
    return delivery.receive(message, at);
  };
  const told = (actions, at) => actions.flatMap((action) => {
    if (action.deliver) return [{ deliver: action.deliver }];
    if (action.failed) {
      const { id, callId, to, seq } = action.failed;
      return [{ failed: { id, callId, to, seq }, why: action.why, code: action.code }];
    }
    try {
      return [{ transmit: decode(encode(action.transmit)) }];
    } catch (fault) {
      return told(delivery.refusedHere(action.transmit, fault, at), at);
    }
  });
  const done = (step) => {
    const { at = 0 } = step;
    if (step.send) return delivery.send({ ...step.send }, at);
    if (step.receive) return receive(JSON.stringify(step.receive), at);
    if (step.forget) return delivery.forget(`${step.forget.peer} ${step.forget.callId}`) ?? [];
    if (step.wake) return delivery.wake(at);
    return step.connection === 'lost' ? delivery.connectionLost() ?? [] : delivery.connectionRestored(at);
  };
  return steps.map((step) => {
    const actions = told(done(step), step.at ?? 0);
    return { actions, isIdle: delivery.isIdle, ...(delivery.nextWake !== Infinity && { next: delivery.nextWake }) };
  });
}

/** The result of each step of the routing. */
function route(limit, steps) {
  const routing = new Routing(limit);
  const calls = [];
  const find = ({ peer, callId }) => calls.find((call) => call.peer === peer && call.id === callId && !call.isOver);
  return steps.map((step) => {
    if (step.add) {
      const { peer, callId: id, role, state } = step.add;
      const call = { peer, id, role, state };
      const isAdded = routing.add(call);
      if (isAdded) calls.push(call);
      return isAdded;
    }
    if (step.message) {
      const { to, call } = routing.route(decode(JSON.stringify(step.message)), step.at ?? 0);
      return { to, ...(call && { peer: call.peer, callId: call.id }) };
    }
    const call = find(step.note ?? step.end ?? step.adopt);
    if (call && step.note) call.state = step.note.state;
    if (call && step.end) {
      call.isOver = true;
      routing.end(call);
    }
    if (call && step.adopt) {
      call.id = step.adopt.newId;
      call.role = 'callee';
      routing.adopt(call, step.adopt.callId);
    }
    return null;
  });
}

/** The state of a call after each event, and its effects. Texts for users are left out. */
function follow(call, events) {
  const rules = new Rules(call);
  const silent = ({ text, ...notice }) => notice;
  return events.map((event) => {
    const effects = rules.handle(event).filter((one) => one.do !== 'ignored')
      .map((one) => (one.do === 'notify' ? { ...one, notice: silent(one.notice) } : one));
    const { state, hold, end } = rules;
    return {
      event, effects, state, ...(hold !== 'none' && { hold }),
      ...(end && { end: { reason: end.reason, code: end.code, by: end.by } }),
    };
  });
}

/** What the statistics of each look say about silence: of looks of 250 ms with `packets` of media and `others`. */
function listen(looks) {
  const silence = new Silence();
  let [packets, others] = [0, 0];
  return looks.map((look) => {
    packets += look.packets ?? 0;
    others += look.others ?? 0;
    const figures = {
      arrivals: packets + others, audio: { received: { packets } }, video: { received: { packets: 0 } },
    };
    return look.isBroken ? silence.interrupt() : silence.look(figures, look.milliseconds ?? 250);
  });
}
