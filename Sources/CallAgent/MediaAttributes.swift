public import CallProtocol

/// What is sent in a call at present, by either end, for whoever shows it.
public struct MediaAttributes: Sendable, Equatable {
    /// One end.
    public struct End: Sendable, Equatable {
        /// Whether it sends its sound; off, too, in a call without sound.
        public var audio: MediaState.Sending
        /// Whether it sends its pictures; off, too, in a call without pictures.
        public var video: MediaState.Sending
        /// Where its sound comes from, as the command line writes sources, without the password of a URL; nil at the peer and without a source.
        public var audioSource: String?
        /// The same of its pictures.
        public var videoSource: String?
        /// The size of its pictures; nil while there are none: stopped, held, or not there yet.
        ///
        /// At this end that of what is encoded, at the peer that of what was decoded.
        public var picture: PictureSize?

        /// Makes an end.
        public init(
            audio: MediaState.Sending, video: MediaState.Sending, audioSource: String? = nil,
            videoSource: String? = nil,
            picture: PictureSize? = nil
        ) {
            self.audio = audio
            self.video = video
            self.audioSource = audioSource
            self.videoSource = videoSource
            self.picture = picture
        }
    }

    /// This end.
    public var local: End
    /// The other one, as far as it has told and as it was decoded.
    public var remote: End

    /// Makes a pair.
    public init(local: End, remote: End) {
        self.local = local
        self.remote = remote
    }
}
