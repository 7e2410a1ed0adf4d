internal import Foundation
internal import Synchronization

/// Writes the encoded media of one direction of a call to a file, as it is.
///
/// A file has a fixed set of tracks of fixed shape, and is written only as far as there is data for every track. So a file starts when
/// all expected tracks have arrived, or two seconds after the first. A further file (`call.part2.mkv` after `call.mkv`) starts when
/// something arrives that does not fit (video that is added, turned or of another size), and when one track is silent for two seconds
/// while another is not. A peer that changes its video again and again cannot fill the disk: after a maximum number of files, the audio
/// continues alone, in one last file. The recorder has its own pipeline: a full or slow disk ends the recording and nothing else.
actor Recorder {
    private let executor = QueueExecutor(label: "recorder")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// How long one track waits for the others, in ns.
    private static let patience: UInt64 = 2_000_000_000
    /// How long nothing at all may arrive before the next packet counts as the end of an outage; video may have one frame a second.
    private static let outage: Duration = .milliseconds(1_200)
    /// The maximum number of packets that wait for the recorder: about ten seconds.
    private static let maximumWaiting = 1_024

    private let path: String
    private let format: RecordingFormat
    private let description: PipelineDescription
    private let zero: RecordingZero
    private let report: @Sendable (MediaError) -> Void
    private let packets: AsyncStream<RecordedPacket>
    private nonisolated let sink: AsyncStream<RecordedPacket>.Continuation
    private var waiting: [RecordedPacket] = []
    private var part: RecordingPart?
    /// The time of the last packet of each track.
    private var last: [TrackID: UInt64] = [:]
    private var lastArrival: ContinuousClock.Instant?
    private nonisolated let tracks = Mutex(Tracks())
    private var parts = 0
    private let maximumFiles: Int
    private var filesLeft: Int
    /// Whether video is left out because there were too many files.
    private var isAudioOnly = false
    private var hasFailed = false
    private var work: Task<Void, Never>?
    private var closing: [Task<Void, Never>] = []

    private struct Tracks {
        /// The taps that record now, of the connection that is shown.
        var recording: [TrackID: WeakTap] = [:]
        /// What may arrive.
        var expected: Set<TrackID> = []
        /// The codecs that the file cannot hold, until that was reported.
        var refused: [TrackID: Codec] = [:]
    }

    /// A tap holds its pad, and so the elements of a connection, which may end before the recording.
    private struct WeakTap {
        weak var tap: RecordingTap?
    }

    /// After `maximumFiles` files, video is left out.
    ///
    /// `zero` is when the recordings of both directions start. `report` gets the failure that ends the recording, and what is left out.
    init(
        path: String, maximumFiles: Int, zero: RecordingZero, catalog: PipelineCatalog,
        report: @escaping @Sendable (MediaError) -> Void
    ) throws(MediaError) {
        self.path = path
        self.maximumFiles = max(1, maximumFiles)
        filesLeft = self.maximumFiles
        format = try RecordingFormat(path: path)
        description = try catalog.description(format.descriptionName, role: .recorder)
        self.zero = zero
        self.report = report
        (packets, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
    }

    /// Taps `pad`; nil for a codec that the file cannot hold.
    ///
    /// A tap that opens replaces the one of its track that records: a connection was replaced.
    nonisolated func tap(_ track: TrackID, _ codec: Codec, at pad: Pad) -> RecordingTap? {
        guard format.holds(codec) else {
            tracks.withLock { tracks in
                tracks.expected.remove(track)
                tracks.refused[track] = codec
            }
            return nil
        }
        tracks.withLock { tracks in
            tracks.expected.insert(track)
            tracks.refused[track] = nil
        }
        return RecordingTap(track, codec, at: pad) { [weak self] in
            self?.select($0)
        } take: { [sink] packet in
            if case .dropped = sink.yield(packet) { return false }
            return true
        }
    }

    /// Waits for nothing of this track: the negotiation left it out.
    nonisolated func leaveOut(_ track: TrackID) { tracks.withLock { _ = $0.expected.remove(track) } }

    private nonisolated func select(_ tap: RecordingTap) {
        let former = tracks.withLock { tracks in
            defer { tracks.recording[tap.track] = WeakTap(tap: tap) }
            return tracks.recording[tap.track]?.tap
        }
        if former !== tap { former?.close() }
    }

    /// Starts to write the packets of the taps; called again for the taps of a further connection.
    func start() {
        work = work ?? Task { for await packet in packets { take(packet) } }
        let refused = tracks.withLock { tracks in
            defer { tracks.refused = [:] }
            return tracks.refused.values
        }
        for codec in refused {
            report(.recordingFailed(path: path, text: "\(format.name) does not hold \(codec.encodingName)"))
        }
    }

    /// Ends the file; gives up after `limit`.
    func finish(within limit: Duration) async {
        sink.finish()
        await work?.value
        // Not all expected tracks arrived.
        if part == nil { begin() }
        close(within: limit)
        for task in closing { await task.value }
    }

    private func take(_ packet: RecordedPacket) {
        guard !hasFailed, packet.kind == .audio || !isAudioOnly else { return }
        let isAnswered = isAnswered(packet)
        if let open = part {
            if open.holds(packet), isAnswered {
                if part?.push(packet) == false { fail(.recordingFailed(path: path, text: "the disk is too slow")) }
                return
            }
            // The rest of a stream whose shape changes with its next key frame.
            guard packet.isKey || !isAnswered else { return }
            close(within: .seconds(5))
            restartVideos(besides: packet.isKey ? packet.track : nil)
        }
        guard packet.isKey || waiting.contains(where: { $0.track == packet.track }) else { return }
        waiting.append(packet)
        // At the start every track may still arrive, later only those that sent something lately.
        let expected = tracks.withLock { $0.expected }.filter {
            parts == 0 || packet.time <= (last[$0] ?? 0) + Self.patience
        }
        let isComplete = Set(waiting.map(\.track)).isSuperset(of: expected)
        if isComplete || packet.time > waiting[0].time + Self.patience { begin() }
    }

    /// The present videos continue in another file, which begins with key frames; `track` has one already.
    private func restartVideos(besides track: TrackID?) {
        let taps = tracks.withLock { $0.recording.values.compactMap(\.tap) }
        for tap in taps where tap.track.kind == .video && tap.track != track { tap.restart() }
    }

    /// Whether the other tracks of the present file sent something lately; after an outage of all, they have their full time again.
    ///
    /// The packets' own times do not show an outage: what was lost at its end arrives after it, when it was sent again.
    private func isAnswered(_ packet: RecordedPacket) -> Bool {
        let now = ContinuousClock.now
        let isOutage = lastArrival.map { now - $0 > Self.outage } ?? false
        lastArrival = now
        if isOutage || last[packet.track].map({ packet.time > $0 + Self.patience }) == true {
            for track in last.keys { last[track] = packet.time }
        }
        last[packet.track] = packet.time
        return part?.recorded.allSatisfy { packet.time <= (last[$0] ?? 0) + Self.patience } ?? true
    }

    private func begin() {
        if filesLeft == 0, !waiting.isEmpty { leaveOutVideo() }
        let shapes = Set(waiting.map(\.track)).sorted().compactMap { track in waiting.first { $0.track == track } }
        guard let first = waiting.map(\.time).min(), !hasFailed else { return }
        filesLeft -= 1
        // Only the first file is one that the user named: the others replace none.
        repeat { parts += 1 } while parts > 1 && FileManager.default.fileExists(atPath: Self.path(path, part: parts))
        let number = parts
        do throws(MediaError) {
            part = try RecordingPart(
                description, format, path: Self.path(path, part: number),
                zero: number == 1 ? zero.time ?? first : first, shapes: shapes
            ) { [weak self] error in Task { await self?.fail(error, ofPart: number) } }
        } catch {
            return fail(error)
        }
        let packets = waiting
        waiting = []
        for packet in packets { take(packet) }
    }

    /// Makes room for one last file, with audio only.
    private func leaveOutVideo() {
        let text = "it has \(maximumFiles) files, which is the maximum"
        guard !isAudioOnly, tracks.withLock({ $0.expected.contains(.audio) }) else {
            return fail(.recordingFailed(path: path, text: text))
        }
        (isAudioOnly, filesLeft) = (true, 1)
        waiting.removeAll { $0.kind == .video }
        tracks.withLock { $0.expected = $0.expected.filter { $0.kind != .video } }
        report(.recordingFailed(path: path, text: text + "; from here on only the audio is recorded"))
    }

    private func fail(_ error: MediaError, ofPart number: Int) { if number == parts { fail(error) } }

    private func fail(_ error: MediaError) {
        guard !hasFailed else { return }
        hasFailed = true
        waiting = []
        close(within: .seconds(1))
        report(error)
    }

    private func close(within limit: Duration) {
        guard let part = part.take() else { return }
        closing.append(Task { await part.end(within: limit) })
    }

    /// `call.mkv`, `call.part2.mkv`, `call.part3.mkv` and so on.
    private static func path(_ path: String, part: Int) -> String {
        part == 1 ? path : path.beforeExtension(".part\(part)")
    }
}

extension String {
    /// A path with `text` before the extension of its file.
    func beforeExtension(_ text: String) -> String {
        guard let dot = lastIndex(of: "."), !self[dot...].contains("/") else { return self + text }
        return self[..<dot] + text + self[dot...]
    }
}
