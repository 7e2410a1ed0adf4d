internal import CGStreamer

/// A top-level pipeline on the system clock, which all pipelines of the process share.
final class Pipeline: Sendable {
    let bin: Element
    let bus: Bus

    /// When a pipeline's running time is 0.
    enum TimeBase {
        /// When the pipeline starts to play, as sources expect.
        case ownStart
        /// At the clock's own 0, so that running times are equal in all such pipelines.
        case clock
    }

    init(name: String, timeBase: TimeBase) throws(MediaError) {
        guard let pipeline = gst_pipeline_new(name), let bus = gst_element_get_bus(pipeline) else {
            throw .pluginMissing(element: "pipeline")
        }
        bin = Element(ref: GObjectRef(sinking: pipeline))
        self.bus = Bus(ref: GObjectRef(owning: bus))
        let clock = gst_system_clock_obtain()
        defer { gst_object_unref(clock) }
        gst_pipeline_use_clock(bin.ref.cast(), clock)
        // Set explicitly and not at PLAYING, which some sources reach only later.
        gst_element_set_start_time(pipeline, cgst_clock_time_none())
        gst_element_set_base_time(pipeline, timeBase == .clock ? 0 : gst_clock_get_time(clock))
    }

    /// Restarts the running time at 0 now: opening a device or a file may have taken time.
    func restartTime() {
        guard let clock = gst_element_get_clock(bin.ref.pointer) ?? gst_system_clock_obtain() else { return }
        defer { gst_object_unref(clock) }
        gst_element_set_base_time(bin.ref.pointer, gst_clock_get_time(clock))
    }

    /// The time of the clock that all pipelines of the process share, in ns.
    static var now: UInt64 {
        let clock = gst_system_clock_obtain()
        defer { gst_object_unref(clock) }
        return UInt64(gst_clock_get_time(clock))
    }

    /// The clock time at which the running time of this pipeline is 0, in ns.
    var baseTime: UInt64 { UInt64(gst_element_get_base_time(bin.ref.pointer)) }

    /// Recalculates the latency, as an application must after the bus message `latencyChanged`.
    func recalculateLatency() { gst_bin_recalculate_latency(bin.ref.cast()) }

    /// How long a buffer that enters in time takes until it is seen or heard, in ns; nil while the pipeline does not know.
    var latency: UInt64? {
        guard let query = gst_query_new_latency() else { return nil }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(query).cast()) }
        guard gst_element_query(bin.ref.pointer, query) != 0 else { return nil }
        var (isLive, shortest, longest) = (gboolean(0), GstClockTime(0), GstClockTime(0))
        gst_query_parse_latency(query, &isLive, &shortest, &longest)
        return shortest == cgst_clock_time_none() ? nil : UInt64(shortest)
    }

    /// Stops every thread of the pipeline.
    ///
    /// A bin that goes down first starts the bins in it that are in NULL since they have just been added. `dtlsdec` refuses that before it has its
    /// connection, and then everything goes on. So such bins are left out.
    ///
    /// Blocks; see ``Element/setState(_:)``. When an element refuses for another reason, the pipeline goes on and is never freed; then ``isStopped`` is
    /// false.
    func stop() {
        var failures = 0
        while gst_element_set_state(bin.ref.pointer, GST_STATE_NULL) == GST_STATE_CHANGE_FAILURE {
            failures += 1
            guard failures < Self.stopAttempts else {
                // It would crash if it were freed while a thread is in it.
                _ = Unmanaged.passRetained(bin.ref)
                return bus.unwatch()
            }
            bin.excludeIdleChildren()
        }
        // The thread of webrtcbin, which has ended by now, may have started what was left out.
        if failures > 0 { bin.stopChildren() }
        bus.unwatch()
    }

    /// So often `webrtcbin` may add another bin meanwhile.
    private static let stopAttempts = 20

    /// Whether no thread of the pipeline runs, or will run.
    var isStopped: Bool { bin.isIdle }
}
