import Testing

@testable import MediaEngine

@Suite("What the states of ICE mean") struct IceWatchTests {
    private typealias State = IceWatch.State

    @Test("A search that finds nothing fails the connection")
    func nothingFound() {
        let watch = IceWatch()
        #expect(watch.event(for: 1) == nil && watch.event(for: nil) == nil)
        #expect(
            watch.event(for: State.failed)
                == .failed(.transportFailed(text: "ICE found no pair of addresses that works")))
    }

    @Test(
        "A pair that stops working is left to whoever notices silence", arguments: [State.connected, State.completed])
    func lost(state: Int) {
        let watch = IceWatch()
        #expect(watch.event(for: state) == .iceConnected)
        #expect(watch.event(for: State.failed) == nil)
        #expect(watch.event(for: state) == .iceConnected, "it may come back")
    }
}
