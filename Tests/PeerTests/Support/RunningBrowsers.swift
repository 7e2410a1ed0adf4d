import Testing

/// The browsers of this run; its tests use them one after the other.
///
/// Firefox takes 3 s to start and to end, and its first page is slow. So a test gets a new page, not a new browser.
actor RunningBrowsers: SuiteTrait, TestScoping {
    static let shared = RunningBrowsers()

    private struct Idle {
        let kind: BrowserKind
        let options: BrowserOptions
        let browser: any Browser
    }

    private var idle: [Idle] = []

    /// A browser with an empty page, for one test.
    func take(_ kind: BrowserKind, _ options: BrowserOptions) async throws -> any Browser {
        if let place = idle.firstIndex(where: { $0.kind == kind && $0.options == options }) {
            return idle.remove(at: place).browser
        }
        return try await kind.start(options)
    }

    /// Keeps a browser after a test that passed; closes it if its page cannot be replaced.
    func keep(_ browser: any Browser, _ kind: BrowserKind, _ options: BrowserOptions) async {
        do {
            try await browser.renew()
            idle.append(Idle(kind: kind, options: options, browser: browser))
        } catch {
            await browser.close()
        }
    }

    nonisolated func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        do {
            try await function()
        } catch {
            await closeAll()
            throw error
        }
        await closeAll()
    }

    private func closeAll() async {
        for browser in idle.map(\.browser) { await browser.close() }
        idle = []
    }
}

extension Trait where Self == RunningBrowsers {
    /// Closes the browsers at the end of the suite.
    static var sharedBrowsers: Self { RunningBrowsers.shared }
}

/// Lends a browser to a test; closes it if the test fails.
func withBrowser<Result>(
    _ kind: BrowserKind, _ options: BrowserOptions = BrowserOptions(), _ body: (any Browser) async throws -> Result
) async throws -> Result {
    try kind.require()
    let browser = try await RunningBrowsers.shared.take(kind, options)
    do {
        let result = try await body(browser)
        await RunningBrowsers.shared.keep(browser, kind, options)
        return result
    } catch {
        await browser.close()
        throw error
    }
}
