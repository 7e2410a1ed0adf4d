import Testing

@testable import MediaEngine

@Suite("The rate of audio beside video") struct AudioShareTests {
    private var audio = AudioShare()

    /// Whether the rate of audio changes.
    private mutating func note(_ videoBandwidth: Double?) -> Bool { audio.note(videoBandwidth: videoBandwidth) }

    @Test("Audio gives up bits where little is left to the video, and gets them back where there is enough")
    mutating func narrow() {
        #expect(!note(nil) && audio.limitKbit == nil)
        #expect(!note(140_000) && audio.limitKbit == nil)
        #expect(note(120_000) && audio.limitKbit == AudioShare.narrowKbit)
        #expect(!note(170_000) && audio.limitKbit == AudioShare.narrowKbit)
        #expect(note(190_000) && audio.limitKbit == nil)
    }

    @Test("A path that does not limit the video gives audio what it asks for")
    mutating func free() {
        #expect(note(50_000))
        #expect(note(nil) && audio.limitKbit == nil)
    }
}
