import Foundation

/// The UDP sockets of a process, as the kernel lists them.
enum UDPSockets {
    struct Endpoint: Hashable {
        let isIPv6: Bool
        let port: Int
    }

    static func bound(by pid: Int32) throws -> Set<Endpoint> {
        let folder = "/proc/\(pid)/fd"
        let inodes = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name -> Substring? in
            // The socket was closed after it was listed.
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name),
                target.hasPrefix("socket:[")
            else { return nil }
            return target.dropFirst(8).dropLast()
        }
        var found: Set<Endpoint> = []
        for (file, isIPv6) in [("udp", false), ("udp6", true)] {
            // The file is missing if the kernel has no IPv6.
            for words in KernelTable.rows("/proc/\(pid)/net/\(file)") {
                // sl, local address and port in hexadecimal digits, remote ones, … and the inode as the tenth word.
                guard words.count > 9, inodes.contains(words[9]), let colon = words[1].lastIndex(of: ":"),
                    let port = Int(words[1][words[1].index(after: colon)...], radix: 16)
                else { continue }
                found.insert(Endpoint(isIPv6: isIPv6, port: port))
            }
        }
        return found
    }
}
