/// The outlets for one peer's video and audio.
struct Outlets: Sendable {
    let video = Outlet(.video)
    let audio = Outlet(.audio)

    subscript(kind: MediaKind) -> Outlet { kind == .video ? video : audio }

    func end() {
        video.end()
        audio.end()
    }
}
