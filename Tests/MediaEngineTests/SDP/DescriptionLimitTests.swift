import Testing

@testable import MediaEngine

@Suite("The limits of a description") struct DescriptionLimitTests {
    private func refuses(_ sdp: String, _ says: String) -> Bool {
        do throws(MediaError) {
            _ = try SDPSamples.read(sdp)
            return false
        } catch {
            return "\(error)".contains(says)
        }
    }

    /// The sample, padded to this many bytes with lines that are within their own limit.
    private func padded(to bytes: Int) -> String {
        var text = SDPSamples.offer
        while bytes - text.utf8.count > 2_050 { text += "a=" + String(repeating: "x", count: 1_000) + "\r\n" }
        return text + "a=" + String(repeating: "x", count: bytes - text.utf8.count - 2)
    }

    @Test("32768 bytes are accepted, one more is not")
    func bytes() throws {
        let longest = padded(to: RemoteDescription.maximumBytes)
        #expect(longest.utf8.count == 32_768)
        _ = try SDPSamples.read(longest)
        #expect(refuses(longest + "x", "longer than 32768 bytes"))
    }

    @Test("A line of 2048 bytes is accepted, one of 2049 is not")
    func lineBytes() throws {
        let line = "a=" + String(repeating: "x", count: 2_046)
        _ = try SDPSamples.read(SDPSamples.offer + line + "\r\n")
        #expect(refuses(SDPSamples.offer + line + "x\r\n", "more than 2048 bytes"))
    }

    @Test("1000 lines are accepted, one more is not")
    func lineCount() throws {
        let own = SDPSamples.offer.components(of: "\r\n").count - 1
        let longest = SDPSamples.offer + String(repeating: "a=x\r\n", count: 1_000 - own)
        _ = try SDPSamples.read(longest)
        #expect(refuses(longest + "a=x\r\n", "more than 1000 lines"))
    }

    @Test("A mid of 32 characters is accepted, one of 33 is not")
    func mid() throws {
        let mid = String(repeating: "m", count: 32)
        let sdp = SDPSamples.offer("a=mid:1", "a=mid:\(mid)")
        #expect(try SDPSamples.read(sdp.replacing("BUNDLE 0 1", by: "BUNDLE 0 \(mid)")).sections[1].mid == mid)
        #expect(refuses(sdp.replacing(mid, by: mid + "m"), "mid is no token"))
    }

    @Test("ICE credentials have 4 to 256 and 22 to 256 characters")
    func credentials() throws {
        for (name, old, shortest) in [("ice-ufrag", "4ZcD", 4), ("ice-pwd", "2/1muCWoOi3uLifh0NuRHlbc", 22)] {
            for count in [shortest, 256] {
                _ = try SDPSamples.read(SDPSamples.offer(old, String(repeating: "+", count: count)))
            }
            for count in [shortest - 1, 257] {
                let sdp = SDPSamples.offer(old, String(repeating: "+", count: count))
                #expect(refuses(sdp, "a=\(name) is malformed"), "\(count)")
            }
        }
    }

    @Test("64 payload types are accepted in one m-line, 65 are not")
    func payloads() throws {
        let free = (0...127).filter { ![111, 96, 102].contains($0) }
        func sdp(_ count: Int) -> String {
            SDPSamples.offer(" 96 102", " 96 102" + free.prefix(count - 2).map { " \($0)" }.joined())
        }
        _ = try SDPSamples.read(sdp(64))
        #expect(refuses(sdp(65), "more than 64 payload types"))
    }

    @Test("64 candidates are accepted for one m-line, 65 are not")
    func candidates() throws {
        let line = "a=candidate:1 1 UDP 1 127.0.0.1 9 typ host\r\n"
        let sdp = SDPSamples.offer + String(repeating: line, count: 63)
        #expect(try SDPSamples.read(sdp).sections[1].candidates.count == 64)
        #expect(refuses(sdp + line, "more than 64 candidates"))
    }

    @Test("An encoding name of 64 bytes is accepted, one of 65 is not")
    func encoding() throws {
        let name = String(repeating: "x", count: 58) + "/90000"
        _ = try SDPSamples.read(SDPSamples.offer("H264/90000", name))
        #expect(refuses(SDPSamples.offer("H264/90000", "x" + name), "rtpmap of 102 is malformed"))
    }

    @Test("The first 16 SSRCs are kept, and malformed ones are ignored")
    func sources() throws {
        let many = (1...20).map { "a=ssrc:\($0) cname:c\r\n" }.joined()
        let odd = "a=ssrc:-1 cname:c\r\na=ssrc:4294967296 cname:c\r\na=ssrc:7\r\na=ssrc:8 cname:\r\na=ssrc:9 msid:x\r\n"
        let sources = try SDPSamples.read(SDPSamples.offer + odd + many).sections[1].sources
        #expect(sources.map(\.ssrc) == [1_002] + Array(1...15))
    }

    @Test("Parameters of 256 bytes are kept; longer ones and those with odd characters are removed")
    func parameters() throws {
        let longest = "stereo=" + String(repeating: "y", count: 249)
        let sdp = SDPSamples.offer("minptime=10", "\(longest);\(longest)y;é=1;ssrc=1; ;minptime=10")
        let expected = "\(longest);minptime=10;useinbandfec=1"
        #expect(try SDPSamples.read(sdp).sections[0].formats[0].parameters == expected)
    }
}
