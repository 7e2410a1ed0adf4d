extension MediaEngine {
    /// The cameras and microphones that are there now, with their formats; cameras first.
    ///
    /// Looks at each camera and asks each sound service, for 10 s at most; what has not answered by then is left out.
    /// A busy camera is listed, too.
    public func devices() async -> [MediaDevice] {
        let list = FoundDevices()
        _ = await Deadline.isMet(.seconds(10)) { await BlockingQueue(label: "devices").listDevices(into: list) }
        return list.devices.sorted { ($0.kind == .video ? 0 : 1, $0.source) < ($1.kind == .video ? 0 : 1, $1.source) }
    }
}
