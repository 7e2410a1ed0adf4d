import Testing

@testable import MediaEngine

@Suite("The rate of audio beside video") struct AudioShareTests {
    private var audio = AudioShare()

    /// Whether the rate of audio changes.
    private mutating func note(_ bandwidth: Double, isUsed: Bool = true, at now: Double = 1) -> Bool {
        audio.note((bandwidth, isUsed), at: now)
    }

    @Test("Audio gives up bits where little is left to the video, and gets them back where there is enough")
    mutating func narrow() {
        #expect(!note(140_000) && audio.limitKbit == nil)
        #expect(note(120_000) && audio.limitKbit == AudioShare.narrowKbit)
        #expect(!note(170_000) && audio.limitKbit == AudioShare.narrowKbit)
        #expect(note(190_000) && audio.limitKbit == nil)
    }

    @Test("A path that does not limit the video gives audio what it asks for")
    mutating func free() {
        #expect(note(50_000))
        #expect(audio.note(nil, at: 1) && audio.limitKbit == nil)
    }

    @Test("Simple video takes nothing from audio; it takes a while to see that it is simple")
    mutating func simple() {
        #expect(!note(50_000, isUsed: false))
        #expect(note(50_000, at: 2))
        #expect(!note(50_000, isUsed: false, at: 6))
        #expect(!note(50_000, at: 6.5) && !note(50_000, isUsed: false, at: 11))
        #expect(note(50_000, isUsed: false, at: 12) && audio.limitKbit == nil)
    }
}
