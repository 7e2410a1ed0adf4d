import CGStreamer

@testable import MediaEngine

extension BufferRef {
    /// How many references to the buffer there are, this one included.
    var references: Int { Int(pointer.pointee.mini_object.refcount) }

    /// Its presentation time, in ns.
    var presented: UInt64 { UInt64(pointer.pointee.pts) }

    /// Where its bytes are.
    var address: Int? { withBytes { $0.baseAddress.map(Int.init(bitPattern:)) } ?? nil }
}
