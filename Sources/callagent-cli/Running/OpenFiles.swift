internal import Glibc

/// The number of files, including sockets, that this process may have open.
enum OpenFiles {
    /// Raises the soft limit to what `sockets` need, as far as the hard limit allows.
    static func raiseLimit(for sockets: Int) {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        // The process needs some other files, too.
        let wanted = min(rlim_t(clamping: sockets) + 256, limit.rlim_max)
        guard wanted > limit.rlim_cur else { return }
        limit.rlim_cur = wanted
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
