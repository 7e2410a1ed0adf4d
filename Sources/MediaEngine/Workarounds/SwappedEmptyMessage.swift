/// An empty text arrives at the peer as empty bytes, and the other way round.
///
/// `webrtcbin` swaps the numbers of the two (`DataChannelPPID` in `webrtcdatachannel.c`: 56 for bytes, 57 for text; RFC 8831 section 8 has 56 for
/// text), so two of its own ends never notice. No upstream issue; the same in 1.28. So each is passed to it, and taken from it, as the other.
enum SwappedEmptyMessage: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    static func swapped(_ message: DataChannel.Message) -> DataChannel.Message {
        switch message {
        case .text(""): .binary([])
        case .binary([]): .text("")
        default: message
        }
    }
}
