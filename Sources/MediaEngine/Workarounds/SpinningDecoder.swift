/// `vp8dec` decodes with as many threads as there are cores, and libvpx lets them wait for each other in a loop that never sleeps.
///
/// Beside other work one of them often waits for one that is not running: 640x360 then takes ten times the CPU time that one thread takes, and 1280x720
/// twenty times (`vp8_atomic_spin_wait` in libvpx's `vp8/common/threading.h`; no upstream issue). libwebrtc decodes VP8 with one thread, too. Our
/// own description of that decoder says so itself.
enum SpinningDecoder: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    /// Gives each decoder one thread that `decodebin` adds to `bin` later.
    static func avoid(in bin: Element) {
        bin.watch("deep-element-added") { arguments in
            guard let element = arguments.element(2), element.factoryName == "vp8dec" else { return }
            // Every release has the property.
            try? element.set("threads", "1")
        }
    }
}
