/// The number and the capture time of a frame, as two rows of 32 blocks at its top: white for 1, the highest bit first.
///
/// The first row has the number and a checksum, the second one the time. The blocks are fractions of the frame, so that they can be read
/// at any size that the frame is scaled to; they survive lossy coding. Only luma is written and read.
struct FrameMark: Equatable {
    /// Counts the frames of a source; begins again after ``numbers``.
    let number: UInt32
    /// When it was captured, in ms since 1970, modulo 2^32.
    let time: UInt32

    /// How many different numbers there are.
    static let numbers: UInt32 = 1 << 24
    /// The rows in a frame of ``rowsOfFrame``.
    static let rows = 2
    /// The height of a block is that part of the height of the frame.
    static let rowsOfFrame = 18
    private static let columns = 32
    /// A smaller frame has no blocks that survive.
    private static let (leastWidth, leastHeight) = (128, 72)

    init(number: UInt32, time: UInt32) {
        self.number = number % Self.numbers
        self.time = time
    }

    /// Reads the mark of a frame whose luma begins with `luma`; nil if there is none, or if a bit was lost.
    init?(luma: UnsafeRawBufferPointer, width: Int, height: Int) {
        let stride = Self.stride(width)
        guard Self.hasRoom(width, height), luma.count >= stride * height else { return nil }
        func bits(ofRow row: Int) -> UInt32? {
            let y = (2 * row + 1) * height / (2 * Self.rowsOfFrame)
            var bits: UInt32 = 0
            for column in 0..<Self.columns {
                let x = (2 * column + 1) * width / (2 * Self.columns)
                var sum = 0
                for line in (y - 1)...(y + 1) {
                    for place in (x - 1)...(x + 1) { sum += Int(luma[line * stride + place]) }
                }
                let mean = sum / 9
                guard mean < 80 || mean > 170 else { return nil }
                bits = bits << 1 | (mean > 170 ? 1 : 0)
            }
            return bits
        }
        guard let first = bits(ofRow: 0), let second = bits(ofRow: 1) else { return nil }
        self.init(number: first >> 8, time: second)
        guard first & 0xff == checksum else { return nil }
    }

    /// How old it is, in ms, at `now`, in ms since 1970 modulo 2^32; negative if it is from later.
    func age(at now: UInt32) -> Int { Int(Int32(bitPattern: now &- time)) }

    /// Writes the mark into a frame; a frame without room for it stays as it is.
    ///
    /// - Returns: Whether there was room.
    func write(to luma: UnsafeMutableRawBufferPointer, width: Int, height: Int) -> Bool {
        let stride = Self.stride(width)
        guard Self.hasRoom(width, height), luma.count >= stride * height else { return false }
        for (row, bits) in [number << 8 | checksum, time].enumerated() {
            for line in (row * height / Self.rowsOfFrame)..<((row + 1) * height / Self.rowsOfFrame) {
                for column in 0..<Self.columns {
                    let isSet = bits >> UInt32(Self.columns - 1 - column) & 1 == 1
                    let start = line * stride + column * width / Self.columns
                    let count = (column + 1) * width / Self.columns - column * width / Self.columns
                    UnsafeMutableRawBufferPointer(rebasing: luma[start..<(start + count)])
                        .initializeMemory(as: UInt8.self, repeating: isSet ? 235 : 16)
                }
            }
        }
        return true
    }

    /// GStreamer pads each row of luma to a multiple of four bytes.
    static func stride(_ width: Int) -> Int { (width + 3) & ~3 }

    static func hasRoom(_ width: Int, _ height: Int) -> Bool { width >= leastWidth && height >= leastHeight }

    /// CRC-8 (polynomial 0x07) of number and time; a black frame has no mark, since its register does not begin with 0.
    private var checksum: UInt32 {
        var register: UInt8 = 0xff
        for shift in [16, 8, 0] { Self.add(UInt8(truncatingIfNeeded: number >> UInt32(shift)), to: &register) }
        for shift in [24, 16, 8, 0] { Self.add(UInt8(truncatingIfNeeded: time >> UInt32(shift)), to: &register) }
        return UInt32(register)
    }

    private static func add(_ byte: UInt8, to register: inout UInt8) {
        register ^= byte
        for _ in 0..<8 { register = register & 0x80 == 0 ? register << 1 : register << 1 ^ 0x07 }
    }
}
