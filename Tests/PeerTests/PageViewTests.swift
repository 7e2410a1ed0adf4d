import Foundation
import Testing

extension Peers {
    /// What users see on the page and do with it.
    @Suite struct PageViewTests {
        @Test("Keys control a call, the page plots it, and the page fits a phone", arguments: BrowserKind.allCases)
        func call(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                // A call arrives while the focus is in the name field. From then on the keys control the call.
                try await alice.press("#peer")
                let bob = try server.call(
                    "alice", as: "bob", ["--events", "--duration", "10m"] + Program.tellsMoments)
                try await alice.waitForRing()
                try await alice.press("#accept")
                try await alice.waitForState("connected")
                try await bob.perceives(.everything)
                try await alice.until("a plot begins", "\(points) > 0")
                let drawn: Int = try await browser.evaluate("return \(points)")

                try await browser.press("m")
                try await alice.until("muted", shows("mute", "Unmute", isPressed: true))
                try await bob.perceives(.videoOnly)
                try await browser.press("v")
                try await alice.until("without video", shows("video", "Start video", isPressed: true))
                try await bob.perceives(.nothing)
                try await browser.press("m")
                try await browser.press("v")
                try await alice.until("with audio", shows("mute", "Mute", isPressed: false))
                try await alice.until("with video", shows("video", "Stop video", isPressed: false))
                try await bob.perceives(.everything)
                try await browser.press("h")
                try await alice.until("held", shows("hold", "Resume", isPressed: true))
                try await alice.receivesNothing()
                try await browser.press("h")
                try await alice.until("taken up", shows("hold", "Hold", isPressed: false))
                try await alice.seeMotion()

                try await alice.until("the plots grow", "\(points) > \(drawn) + 2")
                let stages: [String] = try await browser.evaluate(
                    "return Array.from(document.querySelectorAll('#timeline li'), (entry) => entry.dataset.stage)")
                let expected: Set = ["invited", "answerCreated", "accepted", "connected", "firstVideoShown"]
                #expect(expected.isSubset(of: stages), "\(stages)")

                try await browser.resize(width: 390, height: 844)
                try await fitsPhone(alice, "#stage .tools button", count: 5)
                // No letter hangs up. All of them twice leave the call as it was.
                try await pressLetters(browser)
                try await alice.until("muted", shows("mute", "Unmute", isPressed: true))
                try await alice.until("without frame", shows("video", "Start video", isPressed: true))
                try await alice.until("held", shows("hold", "Resume", isPressed: true))
                try await alice.until("the keypad", "!document.getElementById('keypad').hidden")
                try await pressLetters(browser, areCapital: true)
                try await alice.until("no keypad", "document.getElementById('keypad').hidden")
                try await bob.perceives(.everything)
                // Turned off they do nothing. The last key shows that those before it have come.
                try await alice.click("#shortcuts")
                try await browser.perform(
                    """
                    window.clicked = [];
                    document.addEventListener('click', ({ target }) => window.clicked.push(target.id), true);
                    """)
                try await pressLetters(browser)
                try await alice.click("#shortcuts")
                try await browser.press("m")
                try await alice.until("muted", shows("mute", "Unmute", isPressed: true))
                #expect(try await browser.evaluate("return window.clicked") == ["shortcuts", "mute"])
                try await bob.perceives(.videoOnly)
                try await alice.click("#hang-up")
                #expect(try await alice.waitForEnd() == "localHangup")
                #expect(try await bob.waitForExit() == 0, "\(bob.errors)")
                try await fitsPhone(alice, "#people button", count: 4)
                let carol = try server.call("alice", as: "carol")
                try await alice.waitForRing()
                try await fitsPhone(alice, "#incoming button", count: 3)
                try await alice.press("#decline")
                #expect(try await carol.waitForExit() == 4)
            }
        }

        @Test(
            "Missed calls, the end of a call, a call again, a reload and a lost server are shown",
            arguments: BrowserKind.allCases)
        func aroundCalls(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                let carol = try server.call("alice", as: "carol", ["--display-name", "Bob"])
                try await alice.waitForRing()
                // A key that was meant for something else accepts nothing.
                #expect(try await browser.evaluate("return document.activeElement.id") == "incoming-name")
                try await browser.press(" ")
                #expect(try await alice.state() == "ringing")
                try await alice.until(
                    "the user beside the name",
                    "document.getElementById('incoming-kind').textContent.endsWith('from the user carol')")
                carol.signal(SIGINT)
                try await alice.until(
                    "missed",
                    "document.querySelector('#recent-list [data-missed=true]')?.textContent.includes('Missed')")
                let impostor = try server.call("alice", as: "mallory", ["--display-name", "Bob", "--duration", "10m"])
                try await alice.waitForRing()
                try await alice.click("#accept")
                try await alice.waitForState("connected")
                let caption: [String] = try await browser.evaluate(
                    "return ['peer-name', 'peer-user'].map((id) => document.getElementById(id).innerText)")
                #expect(caption == ["Bob", "user mallory"])
                try await alice.click("#hang-up")
                #expect(try await impostor.waitForExit() == 0, "\(impostor.errors)")

                let bob = try await server.listen("bob")
                try await alice.call("bob")
                try await alice.waitForState("connected")
                try await alice.seeMotion()
                let red: String = try await browser.evaluate("return \(hangUpColour)")
                try await point(browser, at: "#hang-up")
                #expect(try await browser.evaluate("return \(hangUpColour)") == red)
                try await alice.click("#hang-up")
                try await alice.until(
                    "how long",
                    "/^You hung up after \\d+:\\d\\d$/.test(document.getElementById('call-state').textContent)")
                try await alice.click("#call-again")
                try await alice.waitForState("connected")
                try await alice.seeMotion()
                try await alice.click("#hang-up")
                try await alice.until("over", "window.callagent.call.end")

                let device: String = try await browser.evaluate("return window.callagent.agent.device")
                try await browser.open(server.page)
                try await alice.until("signed in again", "window.callagent?.agent.user === 'alice'")
                #expect(try await browser.evaluate("return window.callagent.agent.device") == device)
                // A copy of the tab, which gets a copy of this, is another device.
                #expect(try await browser.evaluate("return sessionStorage.getItem('device') === null"))
                try await alice.until("sees bob", "document.querySelector('li[data-user=bob][data-online=true]')")
                #expect(try await browser.evaluate("return document.getElementById('banner').hidden"))
                let other = "document.querySelector('li[data-user=bob] [data-call=audio]')"
                try await browser.perform("\(other).focus(); window.row = \(other)")
                // Another user's arrival makes the list anew.
                let dave = try await server.listen("dave")
                try await alice.until("sees dave", "document.querySelector('li[data-user=dave]')")
                #expect(
                    try await browser.evaluate("return document.activeElement === \(other) && window.row !== \(other)"))
                dave.signal(SIGINT)
                bob.signal(SIGINT)

                server.program.signal(SIGKILL)
                try await alice.until("the banner", "!document.getElementById('banner').hidden")
                #expect(try await browser.evaluate("return \(other).disabled"))
                let again = try await server.restarted()
                try await alice.until("back", "document.getElementById('banner').hidden && !\(other).disabled")
                again.program.signal(SIGINT)
            }
        }

        private func pressLetters(_ browser: any Browser, areCapital: Bool = false) async throws {
            for letter in areCapital ? "ABCDEFGHIJKLMNOPQRSTUVWXYZ" : "abcdefghijklmnopqrstuvwxyz" {
                try await browser.press(String(letter))
            }
        }

        private let hangUpColour = "getComputedStyle(document.querySelector('#hang-up > svg')).backgroundColor"

        /// Moves the mouse over an element.
        private func point(_ browser: any Browser, at selector: String) async throws {
            let place: [Int] = try await browser.evaluate(
                """
                const { x, y, width, height } = document.querySelector('\(selector)').getBoundingClientRect();
                return [Math.round(x + width / 2), Math.round(y + height / 2)];
                """)
            try await browser.act([
                "type": "pointer", "id": "mouse",
                "actions": [["type": "pointerMove", "origin": "viewport", "x": place[0], "y": place[1]]],
            ])
        }

        /// The number of points in the plot of the received media.
        private let points =
            "(document.querySelector('[data-plot^=\"Bit rate\"] path.in')?.getAttribute('d') ?? '').split(/[ML]/).length - 1"

        /// The appearance of a button of the call.
        private func shows(_ id: String, _ word: String, isPressed: Bool) -> String {
            """
            ((button) => button.getAttribute('aria-pressed') === '\(isPressed)'
              && button.querySelector('span').textContent === '\(word)')(document.getElementById('\(id)'))
            """
        }

        /// Checks that the page has the size of a phone, is not wider, and has these buttons in reach of a finger.
        private func fitsPhone(
            _ user: PageUser, _ buttons: String, count: Int, sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            try await user.until(
                "is a phone", "innerWidth === 390 && innerHeight === 844", sourceLocation: sourceLocation)
            let faults: [String] = try await user.browser.evaluate(
                """
                const page = document.documentElement;
                const faults = page.scrollWidth > 390 ? [`the page is ${page.scrollWidth} wide`] : [];
                const buttons = Array.from(document.querySelectorAll('\(buttons)'));
                if (buttons.length !== \(count)) faults.push(`there are ${buttons.length} buttons`);
                for (const button of buttons) {
                  const { left, right, top, bottom } = button.getBoundingClientRect();
                  const isInside = left >= 0 && right <= 390 && top >= 0 && bottom <= 844;
                  const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
                  if (!isInside || !button.contains(found)) faults.push(`${button.id || button.ariaLabel}: ${[left, right, top, bottom]}`);
                }
                return faults;
                """)
            #expect(faults.isEmpty, "\(faults)", sourceLocation: sourceLocation)
        }
    }
}
