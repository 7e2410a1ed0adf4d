internal import Dispatch

/// Runs an actor on its own serial dispatch queue, so that blocking C calls never occupy Swift's cooperative pool.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

/// A separate thread for one blocking operation.
///
/// It releases its arguments before the caller continues, so nothing of them is alive when the caller reports completion.
actor BlockingQueue {
    private let executor: QueueExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(label: String) { executor = QueueExecutor(label: label) }

    /// Stops a pipeline; its memory returns to the system soon after.
    func stop(_ pipeline: Pipeline) {
        pipeline.stop()
        MemoryReturn.shared.ask()
    }

    /// Encodes an image file.
    func encode(_ frame: OutletBuffer, as format: ImageFormat) throws(MediaError) -> [UInt8] {
        try ImageEncoder.encode(frame, as: format)
    }

    /// Lists the present devices.
    func listDevices(into list: FoundDevices) { list.note(DeviceRecord.all()) }

    /// Starts to watch devices, and lists the present ones.
    func start(_ monitor: DeviceMonitor) -> [DeviceRecord] { monitor.start() }

    /// Stops watching devices.
    func stop(_ monitor: DeviceMonitor) { monitor.stop() }
}
