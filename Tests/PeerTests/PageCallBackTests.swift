import Testing

extension Peers {
    /// Calling a user whose call rings here accepts that call.
    @Suite struct PageCallBackTests {
        @Test("When the page calls back it sends only the requested media", arguments: BrowserKind.allCases)
        func asked(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                try await browser.open(server.page)
                let results: [String] = try await browser.evaluate(
                    """
                    const { CallAgent } = await import('./callagent.js');
                    const results = [];
                    for (const [audio, video] of [[true, false], [false, true], [true, true]]) {
                      const agent = new CallAgent('ws://127.0.0.1:1/', 'alice', { earlyMedia: 'off' });
                      const opened = [];
                      agent.local = { acquire: async (kind) => (opened.push(kind), {}), release() {}, track() {} };
                      agent.line.send = () => {};
                      agent.line.dispatchEvent(new CustomEvent('message', { detail: {
                        type: 'invite', id: 'a1', callId: 'c', from: 'bob', to: 'alice', device: 'A', generation: 0,
                        sentUnixMs: 0, ringTimeoutMs: 20000, sdp: 'offer', media: { audio: true, video: true },
                      } }));
                      const call = await agent.call('bob', { audio, video });
                      results.push([call.id, call.role, call.sends.audio, call.sends.video, ...opened].join(' '));
                      call.hangUp();
                    }
                    return results;
                    """)
                #expect(
                    results == [
                        "c callee on off audio", "c callee off on video", "c callee on on audio video",
                    ])
            }
        }
    }
}
