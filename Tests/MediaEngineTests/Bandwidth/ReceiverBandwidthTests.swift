import Testing

@testable import MediaEngine

/// A sender of video that obeys its receiver's estimate, and a path with a queue, in virtual time.
private struct ObeyingSender {
    /// In bit/s.
    var rate = 10_000_000.0
    /// What waits longer than this for the link is dropped, in s.
    var longestQueue = 0.2
    var loss = 0.0
    /// The share of packets that arrive 15 ms later, behind others.
    var overtaken = 0.0
    var jitter = 0.0
    /// What it sends at most, and without an estimate.
    var wanted = 1_500_000.0
    /// What it sends at least.
    var lowest = 0.0

    private(set) var receiver = ReceiverBandwidth(most: .infinity)
    private(set) var arrivedBytes = 0
    private(set) var (sent, dropped) = (0, 0)
    private var (now, linkFree) = (100.0, 0.0)
    private var number: UInt16 = 65_500
    private var arrivals: [(at: Double, packet: ReceiverBandwidth.Packet)] = []
    /// What it heard of the estimate, and when the next regular RTCP packet leaves.
    private var allowed: Double?
    private var nextReport = 100.5
    private var random = SeededGenerator(seed: 5)

    mutating func clear() { (arrivedBytes, sent, dropped) = (0, 0, 0) }

    mutating func run(seconds: Double) {
        for _ in 0..<Int(seconds * 30) {
            tell()
            let frame = Int(min(wanted, max(lowest, (allowed ?? .infinity) * 0.95)) / 30 / 8)
            for place in stride(from: 0, to: frame, by: 1_200) { send(min(1_200, frame - place)) }
            now += 1.0 / 30
            arrivals.sort { $0.at < $1.at }
            while let first = arrivals.first, first.at <= now {
                receiver.note(first.packet, at: first.at)
                arrivals.removeFirst()
            }
        }
    }

    /// Less is said at once, more with the next regular RTCP packet.
    private mutating func tell() {
        guard let bitrate = receiver.bitrate, now >= nextReport || bitrate < (allowed ?? .infinity) * 0.97 else {
            return
        }
        allowed = bitrate
        if now >= nextReport { nextReport = now + 0.5 }
    }

    /// Sends nothing for so many s.
    mutating func rest(seconds: Double) {
        now += seconds
        nextReport += seconds
    }

    private mutating func send(_ bytes: Int) {
        number &+= 1
        sent += 1
        let begin = max(now, linkFree)
        guard begin - now <= longestQueue, random.share() >= loss else {
            dropped += 1
            return
        }
        linkFree = begin + Double(bytes) * 8 / rate
        arrivedBytes += bytes
        let late = random.share() < overtaken ? 0.015 : 0
        let units = UInt32(UInt64(now * Double(1 << 18)) & 0xff_ffff)
        arrivals.append(
            (
                linkFree + 0.04 + late + jitter * random.share(),
                .init(ssrc: 7, number: number, sendTime: units, bytes: bytes)
            ))
    }
}

@Suite("What a peer may send that makes no estimate itself") struct ReceiverBandwidthTests {
    @Test("A path that takes everything leaves the sender what it wants", arguments: [0.0, 0.005], [0, 0.05])
    func free(jitter: Double, overtaken: Double) throws {
        var path = ObeyingSender()
        (path.overtaken, path.jitter) = (overtaken, jitter)
        path.run(seconds: 20)
        #expect(try #require(path.receiver.bitrate) > path.wanted)
        path.clear()
        path.run(seconds: 5)
        #expect(Double(path.arrivedBytes) * 8 / 5 > 1_400_000)
    }

    @Test("On a narrow path the sender fills it and loses little", arguments: [0.04, 0.2, 0.5])
    func narrow(longestQueue: Double) {
        var path = ObeyingSender()
        (path.rate, path.longestQueue) = (600_000, longestQueue)
        path.run(seconds: 15)
        path.clear()
        path.run(seconds: 30)
        #expect(Double(path.arrivedBytes) * 8 / 30 > 300_000)
        #expect(Double(path.dropped) / Double(path.sent) < 0.06)
    }

    @Test("A path that gets narrow is noticed within seconds, and one that gets wide again is used again")
    func change() {
        var path = ObeyingSender()
        path.run(seconds: 10)
        path.rate = 400_000
        path.run(seconds: 4)
        #expect(path.receiver.bitrate ?? .infinity < 500_000)
        path.rate = 10_000_000
        path.run(seconds: 25)
        #expect(path.receiver.bitrate ?? 0 > path.wanted)
    }

    @Test("A peer that does not go below its lowest rate gets it back when the path takes that")
    func lowest() {
        var path = ObeyingSender()
        path.lowest = 250_000
        path.run(seconds: 5)
        path.rate = 150_000
        path.run(seconds: 10)
        #expect(path.receiver.bitrate ?? .infinity < 200_000)
        path.rate = 400_000
        path.run(seconds: 4)
        #expect(path.receiver.bitrate ?? 0 > 230_000)
    }

    @Test("Loss that is the path's own takes nothing away for long")
    func radio() {
        var path = ObeyingSender()
        path.loss = 0.05
        path.run(seconds: 30)
        path.clear()
        path.run(seconds: 10)
        #expect(Double(path.arrivedBytes) * 8 / 10 > 1_000_000)
    }

    @Test("Before half a second nothing is known; numbers and times that mean nothing do no harm")
    func nonsense() {
        var receiver = ReceiverBandwidth(most: 2_000_000)
        var random = SeededGenerator(seed: 9)
        receiver.note(.init(ssrc: 1, number: 1, sendTime: 0, bytes: 1_000), at: 0)
        #expect(receiver.bitrate == nil)
        for step in 1...20_000 {
            let packet = ReceiverBandwidth.Packet(
                ssrc: .random(in: 0...20, using: &random), number: .random(in: 0 ... .max, using: &random),
                sendTime: .random(in: 0...0xff_ffff, using: &random), bytes: .random(in: 50...1_500, using: &random))
            receiver.note(packet, at: Double(step) / 500)
        }
        #expect(receiver.bitrate.map { BandwidthEstimator.range.contains($0) && $0 <= 2_000_000 } == true)
    }

    @Test("The time of sending goes on when its 24 bits begin anew, and back for a packet that was overtaken")
    func sendTime() {
        var clock = AbsoluteSendTime.Clock()
        #expect(clock.seconds(0xff_0000, at: 7) == 0)
        #expect(clock.seconds(0x01_0000, at: 7.5) == 0.5)
        #expect(clock.seconds(0x00_8000, at: 7.51) == 0.375)
        #expect(clock.seconds(0x01_8000, at: 7.8) == 0.625)
        // A pause of 40 s, then one of 70 s.
        #expect(clock.seconds(0xa1_8000, at: 47.8) == 40.625)
        #expect(clock.seconds(0xb9_8000, at: 117.9) == 110.625)
    }

    @Test("After a pause of the video the peer may send as much as before", arguments: [20.0, 40, 65, 300])
    func pause(seconds: Double) {
        var path = ObeyingSender()
        path.run(seconds: 10)
        path.rest(seconds: seconds)
        for _ in 0..<20 {
            path.run(seconds: 0.5)
            #expect(path.receiver.bitrate ?? 0 > path.wanted)
        }
    }

    @Test("A peer that changes its streams again and again hears of the latest ones")
    func streams() {
        var receiver = ReceiverBandwidth(most: .infinity)
        for ssrc in 0..<UInt32(20) {
            receiver.note(.init(ssrc: ssrc, number: 1, sendTime: 0, bytes: 1_000), at: Double(ssrc))
        }
        #expect(receiver.sources == Array(12..<20))
    }
}
