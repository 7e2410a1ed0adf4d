internal import CallProtocol
public import MediaEngine

/// A call that shows something to many, and pauses while this machine has calls with one peer (show to 1v1).
///
/// The broadcast is what a ``Call`` to a media server or a room sends. While it is paused, its viewers see black or another source, and hear silence; its connection
/// stays, so it continues at once. It continues when the last of those calls has ended, for whatever reason.
public actor Broadcast {
    /// What viewers see during a pause.
    public enum PauseVideo: Sendable, Equatable {
        /// Black frames.
        case black
        /// Another source, such as `image:pause.png`; black if it cannot be opened.
        case source(VideoSource)
    }

    private let pauseVideo: PauseVideo
    private let video: VideoSource?
    private let turn = Turn()
    private var call: Call?
    /// The calls that the broadcast pauses for.
    private var others: Set<CallKey> = []
    /// Whether ``call`` shows the pause.
    private var showsPause = false
    private let (stream, changes) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingNewest(16))

    /// Makes a broadcast of `video`, the source that its calls send otherwise; nil: they send none.
    public init(of video: VideoSource?, pausedAs pauseVideo: PauseVideo = .black) {
        (self.video, self.pauseVideo) = (video, pauseVideo)
    }

    /// Whether the broadcast is paused, whenever that changes; for one consumer.
    public nonisolated var pauses: AsyncStream<Bool> { stream }

    /// Whether it is paused now.
    public var isPaused: Bool { !others.isEmpty }

    /// Sends the broadcast with this call from now on; another call took its place when a connection was made again.
    public func use(_ call: Call) async {
        self.call = call
        showsPause = false
        await apply()
    }

    /// Pauses until `other` has ended; returns when the viewers see nothing of this end any more.
    ///
    /// To be called before `other` is accepted or placed, so that nothing of it is broadcast.
    public func pause(for other: Call) async {
        guard await other.state != .ended else { return }
        // The id of the call may change when both users call each other.
        let key = other.key
        if others.insert(key).inserted {
            if others.count == 1 { changes.yield(true) }
            Task {
                _ = await other.waitUntilEnded()
                await resume(after: key)
            }
        }
        await apply()
    }

    private func resume(after other: CallKey) async {
        guard others.remove(other) != nil else { return }
        if others.isEmpty { changes.yield(false) }
        await apply()
    }

    /// Makes the call send what it should; one change at a time, and the last one counts.
    private func apply() async {
        await turn.begin()
        defer { turn.end() }
        guard let call, showsPause != isPaused else { return }
        showsPause = isPaused
        if showsPause {
            // At once; the source may take a while to open.
            await call.setAudio(.muted)
            await call.setVideo(.muted)
            guard case .source(let source) = pauseVideo, video != nil else { return }
            if (try? await call.setSource(.video(source))) != nil { await call.setVideo(.on) }
        } else {
            if case .source = pauseVideo, let video {
                await call.setVideo(.muted)
                try? await call.setSource(.video(video))
            }
            await call.setVideo(.on)
            await call.setAudio(.on)
        }
    }
}
