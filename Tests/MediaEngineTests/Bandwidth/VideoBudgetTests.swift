import Testing

@testable import MediaEngine

@Suite("The budget of video") struct VideoBudgetTests {
    private var budget = VideoBudget(.balanced)

    private mutating func take(kbit: Double) { budget.note(receiverLimit: kbit * 1_000) }

    /// What changes at `now` for video of 1 Mbit/s.
    private mutating func allocate(
        at now: Double, _ silence: ReportSilence.Reduction = .init(), _ step: VideoBudget.RateStep = .smooth
    ) -> VideoBudget.Allocation? { budget.allocate(wantedKbit: 1_000, silence, step, at: now) }

    /// Reports on a path without a queue, from `begin` on: 50 packets a second of 1,200 bytes.
    ///
    /// Each waits `wait` s longer than the shortest time.
    private mutating func report(from begin: Double, seconds: Double, wait: Double = 0) {
        for number in 0..<Int(seconds * 50) {
            let sent = begin + Double(number) / 50
            let packet = PacketReport(
                number: UInt16(truncatingIfNeeded: Int(sent * 50)), sent: sent, received: sent + 0.02 + wait,
                bytes: 1_200)
            budget.note([packet], wantedKbit: 1_000)
        }
    }

    @Test("Nothing changes before the peer has said anything")
    mutating func unknown() {
        #expect(allocate(at: 1) == nil && budget.available == nil && budget.allocation.limitKbit == nil)
    }

    @Test("Reports on eight large packets tell what the path takes; those on audio do not")
    mutating func path() {
        func packets(_ numbers: Range<UInt16>, bytes: Int) -> [PacketReport] {
            numbers.map { PacketReport(number: $0, sent: Double($0) / 100, received: Double($0) / 100, bytes: bytes) }
        }
        budget.note(packets(0..<100, bytes: 178), wantedKbit: 1_000)
        budget.note(packets(100..<107, bytes: 1_258), wantedKbit: 1_000)
        #expect(!budget.knowsPath)
        budget.note(packets(107..<108, bytes: 1_258), wantedKbit: 1_000)
        #expect(budget.knowsPath)
    }

    @Test("What the peer takes limits the encoder, and its packets leave at twice that; what goes up again frees it")
    mutating func receiver() throws {
        take(kbit: 500)
        let limited = try #require(allocate(at: 1))
        #expect(limited.limitKbit == VideoShare(of: 500_000, loss: 0).kbit)
        #expect(limited.pace == 1_000_000 && !limited.isCongested && budget.available == 500_000)
        take(kbit: 0)
        let free = try #require(allocate(at: 2))
        #expect(free.limitKbit == nil && free.pace == nil && budget.available == nil)
        #expect(allocate(at: 3) == nil)
    }

    @Test("A peer that takes nothing still gets the lowest rate")
    mutating func nothing() {
        take(kbit: 0.001)
        #expect(allocate(at: 1)?.limitKbit == VideoShare.lowestKbit)
    }

    @Test("Small changes are left out; a change that comes too soon waits")
    mutating func steps() {
        take(kbit: 500)
        #expect(allocate(at: 1) != nil)
        take(kbit: 510)
        #expect(allocate(at: 1.5) == nil && !budget.hasLateChange)
        take(kbit: 400)
        #expect(allocate(at: 1.6) != nil)
        take(kbit: 300)
        #expect(allocate(at: 1.65) == nil && budget.hasLateChange)
        #expect(budget.allocation.limitKbit == VideoShare(of: 400_000, loss: 0).kbit)
        #expect(allocate(at: 1.71)?.limitKbit == VideoShare(of: 300_000, loss: 0).kbit)
        #expect(!budget.hasLateChange)
    }

    @Test("An encoder to which each change costs a key frame changes rarely")
    mutating func rare() {
        take(kbit: 500)
        #expect(allocate(at: 1, .init(), .rare) != nil)
        take(kbit: 250)
        #expect(allocate(at: 2.9, .init(), .rare) == nil && budget.hasLateChange)
        #expect(allocate(at: 3.1, .init(), .rare) != nil)
        take(kbit: 225)
        #expect(allocate(at: 6, .init(), .rare) == nil && !budget.hasLateChange)
    }

    @Test("While a queue is long, packets leave no faster than it empties: the encoder may make too much")
    mutating func longQueue() throws {
        report(from: 0, seconds: 2)
        report(from: 2, seconds: 1, wait: 0.5)
        let allocation = try #require(allocate(at: 3))
        let (pace, available) = (try #require(allocation.pace), try #require(budget.available))
        #expect(allocation.isCongested && pace == allocation.bandwidth)
        #expect(abs(pace - available / 2) < available / 20)
    }

    /// Reports of the first packets of a key frame, on a path that takes 150 kbit/s, each after `noted`; returns when the last one arrives.
    private mutating func reportKeyFrame(packets: Int, noted: (inout VideoBudget, _ at: Double) -> Void) -> Double {
        for number in 0..<packets {
            let time = Double(number) * 0.064
            let packet = PacketReport(number: UInt16(number), sent: 0, received: 1 + time, bytes: 1_200)
            budget.note([packet], wantedKbit: 4_000)
            noted(&budget, time)
        }
        return Double(packets - 1) * 0.064
    }

    @Test("While less may be sent than the least video, frames pause until the queue is empty")
    mutating func pause() throws {
        var begin: Double?
        let end = reportKeyFrame(packets: 20) { budget, now in
            let allocation = budget.allocate(wantedKbit: 4_000, .init(), .smooth, at: now)
            guard let pause = allocation?.pause else { return #expect(begin == nil, "it goes on") }
            begin = begin ?? now
            #expect(pause <= 0.8)
        }
        let first = try #require(begin)
        #expect(first < 0.6)
        // The last packet waited for 1.2 s, and the pause has lasted for most of that.
        let rest = try #require(budget.allocate(wantedKbit: 4_000, .init(), .smooth, at: end)?.pause)
        #expect(abs(rest - min(0.8, end - (end - first) / 2)) < 0.01 && rest > 0.2)
        // Nothing more is reported: other news does not make it longer.
        for time in stride(from: end + 0.05, to: end + rest, by: 0.05) {
            take(kbit: 1_000)
            let pause = try #require(budget.allocate(wantedKbit: 4_000, .init(), .smooth, at: time)?.pause)
            #expect(abs(pause - (end + rest - time)) < 0.001)
        }
        #expect(
            budget.allocate(wantedKbit: 4_000, .init(), .smooth, at: end + rest + 0.01).map { $0.pause == nil } == true)
    }

    @Test("On a wide path no frame pauses for a queue")
    mutating func noPause() {
        report(from: 0, seconds: 2)
        report(from: 2, seconds: 1, wait: 0.5)
        #expect(allocate(at: 3).map { $0.isCongested && $0.pause == nil } == true)
    }

    @Test("Another path has no queue yet")
    mutating func pathChange() throws {
        _ = reportKeyFrame(packets: 20) { _, _ in }
        let before = budget.allocate(wantedKbit: 4_000, .init(), .smooth, at: 2)
        #expect(try #require(before).pause != nil)
        budget.changePath()
        #expect(budget.allocate(wantedKbit: 4_000, .init(), .smooth, at: 2.1).map { $0.pause == nil } == true)
    }

    @Test("The path limits the video by its own bandwidth, not by what the peer says")
    mutating func limit() throws {
        #expect(budget.limit == nil)
        _ = reportKeyFrame(packets: 20) { _, _ in }
        #expect(budget.limit == nil, "nothing is allocated yet")
        take(kbit: 60)
        _ = budget.allocate(wantedKbit: 4_000, .init(), .smooth, at: 2)
        let limit = try #require(budget.limit)
        #expect(0.6...1.2 ~= limit.bandwidth / 150_000 && limit.isUsed)
    }

    @Test("Frames of a call that begins on a narrow path get smaller before half a second is measured")
    mutating func narrowBeginning() throws {
        let capture = VideoLadder.Capture(width: 1_280, height: 720, rate: 30)
        var smaller: Double?
        _ = reportKeyFrame(packets: 20) { budget, now in
            let step = budget.adaptFrames(
                of: .video, capture, wantedKbit: 4_000, portion: 1, sentPortion: 1, at: now)
            if step != nil { smaller = smaller ?? now }
        }
        #expect(try #require(smaller) < 0.9)
    }

    @Test("A silence leaves a share of what the path took; that is set again while it lasts, and once after it")
    mutating func silence() throws {
        report(from: 0, seconds: 2)
        #expect(allocate(at: 2) == nil && budget.allocation.limitKbit == nil)
        let before = try #require(budget.available)
        let quarter = ReportSilence.Reduction(factor: 0.25, isSilent: true)
        let silent = try #require(allocate(at: 3, quarter))
        #expect(silent.limitKbit == VideoShare(of: before / 4, loss: 0).kbit)
        #expect(silent.isCongested && silent.pace == before / 4)
        #expect(allocate(at: 3.01, quarter) == silent)
        // Reports are back.
        let kept = ReportSilence.Reduction(factor: 0.25, isSilent: false)
        #expect(allocate(at: 4, kept)?.isCongested == false)
        #expect(allocate(at: 4.01, kept) == nil)
        // The encoder gets its rate in steps, a key frame leaves faster.
        let after = try #require(allocate(at: 5, .init(factor: 0.3, isSilent: false)))
        #expect(after.pace == before && after.limitKbit == VideoShare(of: before * 0.3, loss: 0).kbit)
        let free = try #require(allocate(at: 6))
        #expect(free.limitKbit == nil && free.pace == nil)
    }

    @Test("Packets leave no faster than at twice what the peer takes, whatever the path took before a silence")
    mutating func pace() throws {
        report(from: 0, seconds: 2)
        #expect(allocate(at: 2) == nil)
        take(kbit: 200)
        #expect(allocate(at: 3, .init(factor: 0.5, isSilent: false))?.pace == 400_000)
    }

    @Test("Without reports on packets the frames follow what the peer takes")
    mutating func frames() {
        let capture = VideoLadder.Capture(width: 1_280, height: 720, rate: 30)
        #expect(budget.adaptFrames(of: .video, capture, wantedKbit: 1_000, portion: 1, sentPortion: 1, at: 0) == nil)
        take(kbit: 200)
        let steps = (0...40).compactMap {
            budget.adaptFrames(of: .video, capture, wantedKbit: 1_000, portion: 1, sentPortion: 1, at: Double($0) / 10)
        }
        #expect(steps.first.map { $0.share < 1 } == true)
    }
}
