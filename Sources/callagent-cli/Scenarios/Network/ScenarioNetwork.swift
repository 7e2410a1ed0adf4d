internal import CallAgent
internal import MediaEngine

/// The network of a scenario in which a party has the key `nat`: a machine for each party, and an internet between them.
///
/// The internet has a STUN and TURN server if there is a NAT. Nothing else can be reached.
final class ScenarioNetwork: Sendable {
    private static let server = "198.19.0.1"
    private static let account = (user: "call", password: "call")

    private let internet: NetworkNamespace
    private let machines: [String: PartyMachine]
    private let hasServer: Bool

    /// - Parameters:
    ///   - number: the number of the scenario, which no other one has that runs at the same time.
    ///   - nats: the NAT of each party.
    init(number: Int, _ nats: [String: PartyMachine.NAT]) async throws(Failure) {
        hasServer = nats.values.contains { $0 != .none }
        internet = try await NetworkNamespace(
            """
            ip link set lo up
            echo 1 >/proc/sys/net/ipv4/ip_forward
            ip addr add \(Self.server)/32 dev lo
            \(Self.nowhere)
            \(hasServer ? Self.startServer : "")
            """)
        var machines: [String: PartyMachine] = [:]
        for (index, party) in nats.keys.sorted().enumerated() {
            machines[party] = try await PartyMachine(
                scenario: number, party: index + 1, nat: nats[party] ?? .none, internet: internet)
        }
        self.machines = machines
    }

    /// A way for packets to private addresses of others: they are lost, as on the Internet.
    ///
    /// Without it coturn ends its sessions that send some.
    private static let nowhere = """
        ip link add nowhere type veth peer name void
        ip addr add 198.19.1.1/24 dev nowhere
        ip link set nowhere up
        ip link set void up
        ip neigh add 198.19.1.2 lladdr 02:00:00:00:00:01 dev nowhere
        ip route add default via 198.19.1.2
        """

    /// coturn, until the namespace ends.
    private static let startServer = """
        command -v turnserver >/dev/null || { echo "turnserver: not found"; exit 1; }
        turnserver -n --no-cli --no-tls --no-dtls --listening-ip \(server) --relay-ip \(server) --realm call \
            --lt-cred-mech --user \(account.user):\(account.password) --log-file stdout --pidfile /dev/null >/dev/null 2>&1 &
        trap "kill $!" EXIT
        tries=0
        until ss -ltn | grep -q :3478; do
            tries=$((tries + 1))
            [ $tries -lt 500 ] || { echo "turnserver did not start"; exit 1; }
            sleep 0.02
        done
        """

    /// Gives the calls of a party its machine, and the servers of the internet if they have none.
    func connect(_ configuration: inout MediaConfiguration, of party: String) {
        guard let machine = machines[party] else { return }
        configuration.tuning.localAddresses = []
        configuration.tuning.localInterfaces = [machine.interface]
        guard hasServer, configuration.iceServers.isEmpty else { return }
        configuration.iceServers = [
            IceServer(urls: ["stun:\(Self.server)"]),
            IceServer(
                urls: ["turn:\(Self.server)?transport=udp"], username: Self.account.user,
                credential: Self.account.password),
        ]
    }

    /// Does what may happen to the machine of a party.
    func perform(_ change: PartyMachine.Change, at party: String) async throws(Failure) {
        try await machines[party]?.perform(change)
    }

    /// Removes it.
    func close() async {
        for machine in machines.values { await machine.close() }
        await internet.close()
    }
}
