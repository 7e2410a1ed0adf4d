import Foundation
import Testing

extension Peers {
    /// The page in full screen, and on a phone in landscape.
    @Suite struct PageScreenTests {
        @Test("In full screen the page still tells what happens", arguments: BrowserKind.allCases)
        func fullScreen(kind: BrowserKind) async throws {
            let server = try await CallServer()
            // A notice stays for six seconds, so there is always one.
            let texts = (1...20).flatMap { ["--at", "\($0 * 2)s=info:good news"] }
            let bob = try await server.listen("bob", ["--answer", "0s"] + texts)
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob")
                try await alice.waitForState("connected")
                // The button is for large screens.
                try await browser.resize(width: 1_024, height: 640)
                try await alice.until("the new size", "innerWidth === 1024 && innerHeight === 640")
                try await alice.press("#full-screen")
                try await alice.until("the stage fills the screen", "\(isFullScreen) && \(fills("stage"))")
                try await alice.until(
                    "a notice",
                    """
                    Array.from(document.querySelectorAll('#notices p')).some((line) =>
                      line.textContent === 'bob: good news' && \(isSeen("line")))
                    """)
                server.program.signal(SIGKILL)
                try await alice.until("the banner", isSeen("document.getElementById('banner')"))
                try await alice.press("#full-screen")
                try await alice.until("the page again", "!\(isFullScreen) && !\(fills("stage"))")
                try await alice.click("#hang-up")
            }
            bob.signal(SIGINT)
        }

        @Test("A phone in landscape has the controls of a call in view", arguments: BrowserKind.allCases)
        func landscape(kind: BrowserKind) async throws {
            let server = try await CallServer()
            let bob = try await server.listen("bob", ["--answer", "0s"])
            try await withBrowser(kind) { browser in
                let alice = try await PageUser(browser, server, as: "alice")
                try await alice.call("bob")
                try await alice.waitForState("connected")
                try await browser.resize(width: 844, height: 390)
                try await browser.perform("scrollTo(0, 0)")
                try await alice.until(
                    "the controls",
                    """
                    innerHeight === 390 && Array.from(document.querySelectorAll('#stage .tools button')).every((button) => {
                      const { left, right, top, bottom } = button.getBoundingClientRect();
                      return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
                    })
                    """)
                try await alice.click("#hang-up")
            }
            #expect(try await bob.report().text("end.reason") == "remoteHangup")
        }

        private let isFullScreen = "(document.fullscreenElement !== null)"

        private func fills(_ id: String) -> String {
            """
            (({ left, top, width, height }) => left === 0 && top === 0 && width === innerWidth && height === innerHeight)(
              document.getElementById('\(id)').getBoundingClientRect())
            """
        }

        /// Whether an element is part of what fills the screen, in view and in front of all others.
        private func isSeen(_ element: String) -> String {
            """
            ((element) => {
              element.style.pointerEvents = 'auto';
              const { x, y, width, height } = element.getBoundingClientRect();
              return width > 0 && document.fullscreenElement.contains(element)
                && document.elementFromPoint(x + width / 2, y + height / 2) === element;
            })(\(element))
            """
        }
    }
}
