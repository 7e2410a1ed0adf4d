internal import Glibc

/// How many files, and so sockets, this process may have open.
enum OpenFiles {
    /// Raises the soft limit as far as `sockets` need and the hard limit allows.
    static func raiseLimit(for sockets: Int) {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        // Some are needed besides.
        let wanted = min(rlim_t(clamping: sockets) + 256, limit.rlim_max)
        guard wanted > limit.rlim_cur else { return }
        limit.rlim_cur = wanted
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
