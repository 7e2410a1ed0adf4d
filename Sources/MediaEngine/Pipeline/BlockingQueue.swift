/// A thread of its own for one thing that blocks.
///
/// What it is given is released before the caller goes on, so that nothing of it is alive any more when the caller says
/// that it is done.
actor BlockingQueue {
    private let executor: QueueExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(label: String) { executor = QueueExecutor(label: label) }

    /// Stops a pipeline; its memory goes back to the system soon.
    func stop(_ pipeline: Pipeline) {
        pipeline.stop()
        MemoryReturn.shared.ask()
    }

    /// Makes an image file.
    func encode(_ picture: OutletBuffer, as format: ImageFormat) throws(MediaError) -> [UInt8] {
        try ImageEncoder.encode(picture, as: format)
    }

    /// Asks for the devices that are there.
    func listDevices(into list: FoundDevices) { list.note(DeviceRecord.all()) }

    /// Begins to watch devices, and lists those that are there.
    func start(_ monitor: DeviceMonitor) -> [DeviceRecord] { monitor.start() }

    /// Watches devices no more.
    func stop(_ monitor: DeviceMonitor) { monitor.stop() }
}
