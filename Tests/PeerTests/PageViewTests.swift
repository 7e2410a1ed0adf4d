import Foundation
import Testing

extension Peers {
    /// What people see of the page, and do with it.
    @Suite struct PageViewTests {
        @Test("Keys of the keyboard control a call, which is drawn, and fits a phone", arguments: BrowserKind.allCases)
        func call(kind: BrowserKind) async throws {
            let server = try await CallServer()
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                // Who is called while about to type a name: from then on the keys are the call's.
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
                try await bob.perceives(.picturesAlone)
                try await browser.press("v")
                try await alice.until("without picture", shows("video", "Start video", isPressed: true))
                try await bob.perceives(.nothing)
                try await browser.press("m")
                try await browser.press("v")
                try await alice.until("with sound", shows("mute", "Mute", isPressed: false))
                try await alice.until("with picture", shows("video", "Stop video", isPressed: false))
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
                try await browser.press("e")
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

        /// How many points the line of what arrives has.
        private let points =
            "(document.querySelector('[data-plot^=\"Bit rate\"] path.in')?.getAttribute('d') ?? '').split(/[ML]/).length - 1"

        /// A button of the call, as it looks.
        private func shows(_ id: String, _ word: String, isPressed: Bool) -> String {
            """
            ((button) => button.getAttribute('aria-pressed') === '\(isPressed)'
              && button.querySelector('span').textContent === '\(word)')(document.getElementById('\(id)'))
            """
        }

        /// That the page has the size of a phone, is no wider, and has these buttons where a finger finds them.
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
