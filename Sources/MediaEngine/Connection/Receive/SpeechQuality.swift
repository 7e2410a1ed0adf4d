/// How much the spectrum of received speech differs from the one that was sent.
///
/// It needs ``MediaMeasurement/speech``, and a sender whose source is ``AudioSource/speech``: its syllables are all alike.
public struct SpeechQuality: Sendable, Equatable, Codable {
    /// The syllables that were compared, 4.5 a second.
    ///
    /// The first one after a pause only tells when the next is due. A damaged one counts unless there are five or more in a row: that is a pause.
    public var syllables = 0
    /// The log-spectral distance of a syllable from the one that is sent, in dB.
    ///
    /// It compares the power at the multiples of 70 Hz from 140 to 3,430 Hz, each as a part of the whole, so volume does not count. Less than a
    /// millionth of the whole is taken for a millionth. PCMU has 0.8 dB, Opus 3, ``OpusParameters/economical`` 5, noise that is 20 dB weaker than the
    /// speech 5, a path without anything above 1 kHz 6, and silence in place of a syllable 15.
    /// See L. Rabiner, B.-H. Juang, "Fundamentals of Speech Recognition", 4.5.
    public var spectralDistanceDb: Distribution?

    /// Makes an empty record.
    public init() {}
}
