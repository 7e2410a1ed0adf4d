internal import Synchronization

/// The machine of a party in a scenario's network: an interface of this program, and a router.
///
/// ```
/// call0-1 10.0.0.10 ── 10.0.0.9 router 198.18.1.2 ── 198.18.1.1 internet
/// ```
final class PartyMachine: Sendable {
    /// How a router translates the addresses of its machine (RFC 4787).
    enum NAT: String, CaseIterable, Sendable {
        /// Not at all.
        case none
        /// To one port for each of its ports; only whom the machine has sent to can reach it there.
        case cone
        /// To another port for each destination.
        case symmetric
    }

    /// What may happen to a machine during a call.
    enum Change: String, CaseIterable, Sendable {
        /// It loses its address and gets another one of the same network.
        case changeAddress = "change-address"
        /// Its router gets another address, and forgets all ports.
        case moveNAT = "move-nat"
        case linkDown = "link-down"
        case linkUp = "link-up"
    }

    private struct State {
        /// The last part of the addresses.
        var machine = 2
        var router = 2
        var isUp = true
    }

    /// The name of the interface.
    let interface: String
    private let router: NetworkNamespace
    /// The network of the machine, of 8 addresses.
    private let base: Int
    /// The number of the network between router and internet.
    private let party: Int
    /// The number of the machine among those of all scenarios.
    private let number: Int
    private let state = Mutex(State())

    /// How many scenarios may have networks at a time; the numbers then begin again.
    private static let scenarios = 8_192
    /// How many machines a scenario may have.
    static let perScenario = 250

    /// - Parameters:
    ///   - scenario: the number of the scenario.
    ///   - party: the number of the machine in its scenario, from 1 to ``perScenario``.
    init(scenario: Int, party: Int, nat: NAT, internet: NetworkNamespace) async throws(Failure) {
        self.party = party
        number = scenario % Self.scenarios * 256 + party
        base = 10 << 24 + number * 8
        interface = "call\(scenario % Self.scenarios)-\(party)"
        router = try await NetworkNamespace("ip link set lo up\necho 1 >/proc/sys/net/ipv4/ip_forward\n")
        try await NetworkNamespace.run(
            """
            \(enter(router, "router"))
            \(enter(internet, "internet"))
            ip link add \(interface) type veth peer name inside netns \(router.holder)
            router ip addr add \(Self.address(base + 1))/29 dev inside
            router ip link set inside up
            router ip link add outside type veth peer name router\(party) netns \(internet.holder)
            internet ip addr add 198.18.\(party).1/24 dev router\(party)
            internet ip link set router\(party) up
            router ip link set outside up
            \(connectRouter(2))
            \(nat == .none ? "internet ip route add \(network) via 198.18.\(party).2" : translation(nat))
            ip rule add \(rule)
            ip route add unreachable default metric 4294967295 table \(table)
            ip link set \(interface) up
            ip addr add \(machineAddress(2))/29 dev \(interface)
            \(routes)
            """)
    }

    /// Does what may happen to a machine.
    func perform(_ change: Change) async throws(Failure) {
        let script = state.withLock { state in
            switch change {
            case .changeAddress:
                let former = state.machine
                state.machine = former < 6 ? former + 1 : 2
                return """
                    ip addr del \(machineAddress(former))/29 dev \(interface)
                    ip addr add \(machineAddress(state.machine))/29 dev \(interface)
                    \(state.isUp ? routes : "")
                    """
            case .moveNAT:
                let former = state.router
                state.router = former < 254 ? former + 1 : 2
                // A masquerade forgets the ports of an address that goes.
                return """
                    \(enter(router, "router"))
                    router ip addr del 198.18.\(party).\(former)/24 dev outside
                    \(connectRouter(state.router))
                    """
            case .linkDown:
                state.isUp = false
                return "ip link set \(interface) down"
            case .linkUp:
                state.isUp = true
                // The kernel has removed the routes.
                return "ip link set \(interface) up\n\(routes)"
            }
        }
        try await NetworkNamespace.run(script)
    }

    func close() async {
        await router.close()
        try? await NetworkNamespace.run("ip rule del \(rule)")
    }

    // MARK: Parts of scripts

    private func enter(_ namespace: NetworkNamespace, _ name: String) -> String {
        "\(name)() { nsenter --target \(namespace.holder) --net \"$@\"; }"
    }

    private func connectRouter(_ host: Int) -> String {
        """
        router ip addr add 198.18.\(party).\(host)/24 dev outside
        router ip route replace default via 198.18.\(party).1
        """
    }

    private func translation(_ nat: NAT) -> String {
        """
        router nft "
            add table ip nat
            add chain ip nat out { type nat hook postrouting priority 100; }
            add rule ip nat out oifname outside masquerade\(nat == .symmetric ? " fully-random" : "")
            add chain ip nat strangers { type filter hook input priority 0; }
            add rule ip nat strangers iifname outside ct state new meta l4proto { udp, tcp } drop"
        """
    }

    /// What has the machine's address leaves by its interface; what has none yet takes that interface if it is bound to it.
    private var routes: String {
        """
        ip route replace default via \(Self.address(base + 1)) dev \(interface) table \(table)
        ip route replace default via \(Self.address(base + 1)) dev \(interface) metric \(table)
        """
    }

    private var rule: String { "pref \(NetworkNamespace.ownRules) from \(network) iif lo lookup \(table)" }

    /// Its table of routes, beyond those of the system, which end at 255.
    private var table: Int { number + 1_000 }

    private var network: String { "\(Self.address(base))/29" }

    private func machineAddress(_ host: Int) -> String { Self.address(base + host) }

    private static func address(_ number: Int) -> String {
        [24, 16, 8, 0].map { String(number >> $0 & 0xff) }.joined(separator: ".")
    }
}
