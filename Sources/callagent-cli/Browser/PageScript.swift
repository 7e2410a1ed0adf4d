/// What a browser runs in the server's page, so that its user is a party of a scenario.
enum PageScript {
    /// The object that ``actions`` defines in the page.
    static let party = "callagentParty"

    /// Signs in by the form, as a person does.
    static let signIn = """
        const input = document.getElementById('user');
        if (!input) throw new Error('this is not the page of callagent serve');
        input.value = name;
        const error = document.getElementById('sign-in-error');
        error.textContent = '';
        document.getElementById('sign-in-form').requestSubmit();
        while (!globalThis.callagent && !error.textContent) await new Promise((done) => setTimeout(done, 20));
        if (error.textContent) throw new Error(error.textContent);
        """

    /// Follows the calls of the page, and defines what a step can do with them.
    ///
    /// Figures are those of the media connection in use at the end; `distinctFrames` and `silentMs` are those of the whole call.
    static let actions = """
        const { agent } = globalThis.callagent;
        const { stages } = await import('./callagent.js');
        const lookMs = 200;
        const silence = 10 ** -4.8;
        const calls = [];

        function follow(call) {
          if (calls.includes(call)) return;
          const number = calls.push(call) - 1;
          const report = (words, end) =>
            \(BrowserProcess.reportFunction)(JSON.stringify({
              number, callId: call.id, role: call.role, peer: call.peer, words, end,
            }));
          const looks = startLooking(call);
          let { audio, video } = call.peerSends;
          call.addEventListener('reached', ({ detail: { stage } }) => report([stage]));
          call.addEventListener('state', ({ detail: { state, reason } }) => {
            if (state === 'ended') report([], describe(call, looks()));
            else if (!stages.includes(state) || reason === 'resumed') report([state]);
          });
          call.addEventListener('notice', ({ detail }) => {
            const words = [detail.name];
            if (detail.name === 'peerMediaChanged') {
              if (detail.state.audio !== audio) words.push(`${detail.name}:audio=${detail.state.audio}`);
              if (detail.state.video !== video) words.push(`${detail.name}:video=${detail.state.video}`);
              ({ audio, video } = detail.state);
            }
            for (const value of [detail.content, detail.hold, detail.medium, detail.device]) {
              if (typeof value === 'string') words.push(`${detail.name}:${value}`);
            }
            report(words);
          });
          // A caller's state is reported when it places the call.
          const isReported = call.role === 'caller' || stages.includes(call.state);
          report([...Object.keys(call.timeline), ...(isReported ? [] : [call.state])]);
        }

        /** Looks at the shown video and at the figures until the returned function is called, which returns what was seen. */
        function startLooking(call) {
          const seen = { distinctFrames: 0, silentMs: 0, figures: undefined };
          // How many looks ago the peer's audio became live. What arrives soon after that may be older.
          let liveLooks = 0;
          const context = new OffscreenCanvas(64, 36).getContext('2d', { willReadFrequently: true });
          const shown = document.getElementById('remote-video');
          let hash;
          const look = () => {
            const before = seen.figures;
            seen.figures = call.figures ?? before;
            const isLive = call.state === 'connected' && call.hold === 'none' && call.peerSends.audio === 'on';
            liveLooks = isLive ? liveLooks + 1 : 0;
            if (call.state !== 'connected') return;
            if (before && before !== seen.figures && liveLooks * lookMs > 1000) {
              const [last, now] = [before.audio.received, seen.figures.audio.received];
              const seconds = now.seconds - last.seconds;
              if (last.decoded > 0 && seconds > 0 && (now.energy - last.energy) / seconds < silence) seen.silentMs += seconds * 1000;
            }
            if (shown.srcObject !== call.remoteStream || shown.readyState < 2) return;
            context.drawImage(shown, 0, 0, 64, 36);
            const pixels = context.getImageData(0, 0, 64, 36).data;
            const next = pixels.reduce((sum, value) => (sum * 31 + value) % 1000003, 7);
            if (next !== hash) seen.distinctFrames += 1;
            hash = next;
          };
          const timer = setInterval(look, lookMs);
          return () => {
            look();
            clearInterval(timer);
            return seen;
          };
        }

        function describe(call, { distinctFrames, silentMs, figures }) {
          const { connected, ended } = call.timeline;
          const track = (kind, receivedMore, sentMore) => {
            const { sent, received } = figures[kind];
            const all = received.packets + received.lost;
            return {
              sent: { packetsSent: sent.packets, ...sentMore(sent) },
              received: {
                packetsReceived: received.packets, packetsLost: received.lost, jitterMs: received.jitterMs,
                lossPercent: all > 0 ? (received.lost / all) * 100 : undefined, ...receivedMore(received),
              },
            };
          };
          const media = figures && {
            video: call.media.video ? track('video', ({ decoded, freezes, width, height }) => ({
              framesDecoded: decoded, freezeCount: freezes, frameWidth: width, frameHeight: height, distinctFrames,
            }), ({ frames, width, height }) => ({ framesSent: frames, frameWidth: width, frameHeight: height })) : undefined,
            audio: track('audio', ({ decoded }) => ({ samples: decoded, silentMs }), () => ({})),
            transport: { roundTripTimeMs: figures.rttMs },
          };
          return {
            callId: call.id, role: call.role, peer: call.peer, end: call.end, timelineMs: call.timeline,
            connectedMs: connected === undefined ? undefined : ended - connected, ...media,
          };
        }

        agent.addEventListener('call', ({ detail }) => follow(detail));
        agent.addEventListener('incoming', ({ detail }) => follow(detail));

        const turnOn = (call, medium) => {
          if (!call.media[medium]) throw new Error(`the call has no ${medium}; add-${medium} adds it`);
          return call.setSending({ [medium]: 'on' });
        };
        const acts = {
          accept: (call) => call.accept(),
          reject: (call, code) => call.reject(code),
          hangup: (call) => call.hangUp(),
          hold: (call) => call.holdCall(),
          unhold: (call) => call.unhold(),
          'mute-audio': (call) => call.setSending({ audio: 'muted' }),
          'unmute-audio': (call) => turnOn(call, 'audio'),
          'mute-video': (call) => call.setSending({ video: 'muted' }),
          'unmute-video': (call) => turnOn(call, 'video'),
          'stop-video': (call) => call.setSending({ video: 'off' }),
          'start-video': (call) => turnOn(call, 'video'),
          'stop-audio': (call) => call.setSending({ audio: 'off' }),
          'start-audio': (call) => turnOn(call, 'audio'),
          'add-audio': (call) => call.changeMedia({ audio: true, video: call.media.video }),
          'add-video': (call) => call.changeMedia({ audio: call.media.audio, video: true }),
          'restart-ice': () => dispatchEvent(new Event('online')),
          dtmf: (call, digits) => call.sendDTMF(digits),
          info: (call, content) => call.sendInfo(content),
        };

        globalThis.\(party) = {
          async call(peer, media, milliseconds) {
            const call = await agent.call(peer, media);
            if (milliseconds === null) return;
            call.addEventListener('state', ({ detail: { state } }) => {
              if (state === 'connected') setTimeout(() => call.hangUp(), milliseconds);
            });
          },
          async act(name, value, peer) {
            const ofPeer = calls.filter((call) => peer === null || call.peer === peer);
            const call = ofPeer.findLast((one) => !one.end) ?? ofPeer.at(-1);
            if (!call) throw new Error('the page has no call for this');
            if (!(await acts[name](call, value))) throw new Error(`the page's call is ${call.state}`);
          },
        };
        """
}
