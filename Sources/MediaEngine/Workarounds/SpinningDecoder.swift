/// `vp8dec` decodes frames of several token partitions with several threads, which wait for each other in a loop that never sleeps.
///
/// Beside other work one of them often waits for one that is not running: a file of 640x360 with four partitions took ten times the CPU time that one
/// thread takes, and one of 1280x720 twenty times (`vp8_atomic_spin_wait` in libvpx's `vp8/common/threading.h`; no upstream issue). Frames of
/// this engine have one partition, those of files and other peers may have more. libwebrtc decodes VP8 with one thread, too. The threads are there
/// for any video, a thread for each core. Our own description of that decoder has none of them.
enum SpinningDecoder: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    /// Sets one thread in each `vp8dec` that is added to `bin` later, as `decodebin` does.
    ///
    /// One that is already there is not changed.
    static func avoid(in bin: Element) {
        bin.watch("deep-element-added") { arguments in
            guard let element = arguments.element(2), element.factoryName == "vp8dec" else { return }
            // Every release has the property.
            try? element.set("threads", "1")
        }
    }
}
