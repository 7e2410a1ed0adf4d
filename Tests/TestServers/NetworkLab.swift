internal import Foundation

/// Two machines, alice and bob, behind a router each, as network namespaces of this machine.
///
/// ```
/// alice 10.77.1.2 ── router A ── 10.77.10.2 ── internet 10.77.0.1 ── 10.77.20.2 ── router B ── 10.77.2.2 bob
/// ```
/// Nothing leaves the namespaces. A router with NAT hides its machine as home routers do: the machine is reached only from where it has sent to.
package final class NetworkLab: Sendable {
    /// A namespace of the lab.
    package enum Place: String, CaseIterable, Sendable {
        case alice = "a"
        case routerA = "na"
        case internet = "i"
        case routerB = "nb"
        case bob = "b"
    }

    /// Why there is no lab.
    package struct Failure: Error, CustomStringConvertible { package let description: String }

    /// The address of the internet's server.
    package static let server = "10.77.0.1"

    private let prefix: String

    /// Whether this machine allows namespaces, and has the tools.
    package static let isPossible: Bool = {
        // Other test programs may find out at the same moment.
        let name = "lab-probe\(getpid())"
        return getuid() == 0 && ["ip", "nft"].allSatisfy { tool($0) != nil }
            && (try? run("ip", "netns", "add", name)) != nil && (try? run("ip", "netns", "del", name)) != nil
    }()

    package init(hasNAT: Bool) throws {
        prefix = "lab\(getpid())-\(UInt16.random(in: 0 ... .max))"
        for place in Place.allCases {
            try Self.run("ip", "netns", "add", name(place))
            try ip(place, "link set lo up")
            try inside(place, "sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.disable_ipv6=1")
        }
        try connect(.alice, "eth0", "10.77.1.2/24", .routerA, "in0", "10.77.1.1/24")
        try connect(.routerA, "out0", "10.77.10.2/24", .internet, "ra", "10.77.10.1/24")
        try connect(.bob, "eth0", "10.77.2.2/24", .routerB, "in0", "10.77.2.1/24")
        try connect(.routerB, "out0", "10.77.20.2/24", .internet, "rb", "10.77.20.1/24")
        try ip(.internet, "addr add \(Self.server)/32 dev lo")
        for (machine, router, inner, outer) in [
            (Place.alice, Place.routerA, 1, 10), (Place.bob, Place.routerB, 2, 20),
        ] {
            try ip(machine, "route add default via 10.77.\(inner).1")
            try ip(router, "route add default via 10.77.\(outer).1")
            if hasNAT {
                try hide(router)
            } else {
                try ip(.internet, "route add 10.77.\(inner).0/24 via 10.77.\(outer).2")
            }
        }
    }

    deinit {
        for place in Place.allCases {
            let pids = (try? Self.run("ip", "netns", "pids", name(place))) ?? ""
            for pid in pids.split(separator: "\n").compactMap({ pid_t($0) }) { kill(pid, SIGKILL) }
            _ = try? Self.run("ip", "netns", "del", name(place))
        }
    }

    /// The command that runs a program at a place: the path of the program to start, and its arguments.
    package func command(at place: Place, _ path: String, _ arguments: [String]) -> (path: String, arguments: [String])
    {
        let prefix = prefix(at: place)
        return (prefix[0], prefix.dropFirst() + [path] + arguments)
    }

    /// The words in front of a command that runs at a place.
    package func prefix(at place: Place) -> [String] { [Self.tool("ip") ?? "ip", "netns", "exec", name(place)] }

    /// Runs a command at a place and returns its output.
    @discardableResult
    package func inside(_ place: Place, _ command: String...) throws -> String {
        try Self.run(["ip", "netns", "exec", name(place)] + command)
    }

    /// Changes addresses, links or routes of a place.
    package func ip(_ place: Place, _ arguments: String) throws {
        try Self.run(["ip", "-n", name(place)] + arguments.split(separator: " ").map(String.init))
    }

    /// Waits until interfaces are running: some servers pass over others, and the kernel reports a new link up to some seconds late.
    package func waitUntilRunning(_ place: Place, _ interfaces: [String]) async throws {
        let limit = ContinuousClock.now + .seconds(20)
        for interface in interfaces {
            while try !inside(place, "ip", "link", "show", "dev", interface).contains("state UP") {
                guard ContinuousClock.now < limit else {
                    throw Failure(description: "\(interface) is not running")
                }
                // The polling interval.
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// The command of a STUN server on the internet, for ``command(at:_:_:)``; ``isStunListening()`` tells when it is ready.
    package static let stunServer = (
        path: "/usr/bin/turnserver",
        arguments: [
            "-n", "--no-cli", "--no-tls", "--no-dtls", "--listening-ip", server, "--stun-only", "--log-file", "stdout",
            "--pidfile", "/dev/null",
        ]
    )

    package func isStunListening() throws -> Bool {
        try inside(.internet, "ss", "-lun").contains("\(Self.server):3478")
    }

    // MARK: Events

    /// Alice gets another address of the same network, and loses the former one.
    package func replaceAddress() throws {
        try ip(.alice, "addr del 10.77.1.2/24 dev eth0")
        try ip(.alice, "addr add 10.77.1.3/24 dev eth0")
        try ip(.alice, "route add default via 10.77.1.1")
    }

    /// Alice gets a second interface, which all packets leave through; the first one continues to work, unless it is down.
    package func addInterface(besideFirst: Bool = true) throws {
        try connect(.alice, "eth1", "10.77.3.2/24", .routerA, "in1", "10.77.3.1/24")
        try ip(.internet, "route add 10.77.3.0/24 via 10.77.10.2")
        // What has the former address still leaves through the former interface.
        if besideFirst {
            try ip(.alice, "route add default via 10.77.1.1 dev eth0 table 100")
            try ip(.alice, "rule add from 10.77.1.2 table 100")
        }
        try ip(.alice, "route replace default via 10.77.3.1 dev eth1")
    }

    /// Alice's router gets another address, and forgets all that it knew.
    package func moveRouter() throws {
        try ip(.routerA, "addr add 10.77.10.3/24 dev out0")
        try ip(.routerA, "addr del 10.77.10.2/24 dev out0")
        // The kernel has removed it together with the address that was there first.
        try? ip(.routerA, "addr add 10.77.10.3/24 dev out0")
        try ip(.routerA, "route replace default via 10.77.10.1")
        try inside(.routerA, "conntrack", "-F")
    }

    /// Alice's router drops everything, or nothing any more.
    package func setBlackout(_ isOn: Bool) throws {
        if isOn {
            try inside(
                .routerA, "nft",
                "add table ip blackout; add chain ip blackout drops { type filter hook forward priority 0; policy drop; }"
            )
        } else {
            try inside(.routerA, "nft", "delete", "table", "ip", "blackout")
        }
    }

    /// Alice's router drops what is more than a rate; nil: nothing.
    package func narrow(toKbit kbit: Int?) throws {
        guard let kbit else {
            _ = try inside(.routerA, "nft", "delete", "table", "ip", "narrow")
            return
        }
        try inside(
            .routerA, "nft",
            "add table ip narrow; add chain ip narrow drops { type filter hook forward priority 0; }; "
                + "add rule ip narrow drops oifname out0 limit rate over \(kbit / 8) kbytes/second burst 20 kbytes drop"
        )
    }

    /// Alice's router drops this share of all UDP packets at random, in both directions; nil: none.
    package func lose(percent: Int?) throws {
        guard let percent else {
            _ = try inside(.routerA, "nft", "delete", "table", "ip", "lossy")
            return
        }
        try inside(
            .routerA, "nft",
            "add table ip lossy; add chain ip lossy drops { type filter hook forward priority 0; }; "
                + "add rule ip lossy drops meta l4proto udp numgen random mod 100 < \(percent) drop")
    }

    // MARK: Construction

    private func name(_ place: Place) -> String { "\(prefix)-\(place.rawValue)" }

    private func connect(
        _ one: Place, _ interface: String, _ address: String, _ other: Place, _ otherInterface: String,
        _ otherAddress: String
    ) throws {
        try ip(one, "link add \(interface) type veth peer name \(otherInterface) netns \(name(other))")
        for (place, interface, address) in [(one, interface, address), (other, otherInterface, otherAddress)] {
            try ip(place, "addr add \(address) dev \(interface)")
            try ip(place, "link set \(interface) up")
        }
    }

    private func hide(_ router: Place) throws {
        try inside(
            router, "nft",
            "add table ip nat; add chain ip nat out { type nat hook postrouting priority 100; }; "
                + "add rule ip nat out oifname out0 masquerade; "
                // Otherwise unknown packets would make the kernel choose another port for the next connection.
                + "add chain ip nat strangers { type filter hook input priority 0; }; "
                + "add rule ip nat strangers iifname out0 ct state new meta l4proto { udp, tcp } drop")
    }

    private static func tool(_ name: String) -> String? {
        ["/usr/sbin/", "/sbin/", "/usr/bin/", "/bin/"].map { $0 + name }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    @discardableResult
    private static func run(_ command: String...) throws -> String { try run(command) }

    @discardableResult
    private static func run(_ command: [String]) throws -> String {
        let process = Process()
        guard let path = tool(command[0]) else { throw Failure(description: "there is no \(command[0])") }
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = Array(command.dropFirst())
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(command.joined(separator: " ")): \(text)")
        }
        return text
    }
}
