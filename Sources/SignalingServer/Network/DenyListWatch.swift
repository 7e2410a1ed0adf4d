internal import Logging
internal import NIOCore
internal import NIOPosix

/// Checks every second whether a deny list changed.
enum DenyListWatch {
    private static let interval = TimeAmount.seconds(1)

    /// Starts the checks; called on `loop`.
    ///
    /// Calls `report` on `loop` with each new list, or nil if there is none, until it returns false. Logs once if the file becomes
    /// unusable.
    static func start(
        _ file: DenyListFile, on loop: any EventLoop, logger: Logger, report: @escaping (DenyList?) -> Bool
    ) {
        loop.assumeIsolated().scheduleTask(in: interval) {
            // File access blocks.
            NIOSingletons.posixBlockingThreadPool.runIfActive(eventLoop: loop) {
                var file = file
                let news = file.readAgain()
                return (file, news)
            }.assumeIsolated().whenSuccess { file, news in
                guard take(news, of: file.path, logger, report) else { return }
                start(file, on: loop, logger: logger, report: report)
            }
        }
    }

    private static func take(
        _ news: DenyListFile.News, of path: String, _ logger: Logger, _ report: (DenyList?) -> Bool
    ) -> Bool {
        switch news {
        case .none: break
        case .list(let list): return report(list)
        case .unusable(let text):
            logger.error(
                "the deny list cannot be used; what it said before counts",
                metadata: ["file": "\(path)", "reason": "\(text)"])
        }
        return report(nil)
    }
}
