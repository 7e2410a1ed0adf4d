internal import CGStreamer

extension NiceAgent {
    /// A connectivity check of the selected pair (RFC 8445 section 7.2.4); nil if this end has no credentials.
    ///
    /// libnice does not check that pair, since consent freshness is off. It ignores the answer, since it has not asked, and answers such a check of a peer like any other.
    /// `priority` is that of the peer-reflexive candidate which the peer learns if the check comes from an address that it does not know.
    func connectivityCheck(
        priority: UInt32, tieBreaker: UInt64, peerFragment: String, peerPassword: String
    ) -> [UInt8]? {
        guard let (fragment, _) = localCredentials else { return nil }
        let name = Array("\(peerFragment):\(fragment)".utf8)
        let password = Array(peerPassword.utf8)
        let isControlling = isControlling
        // Nothing is read with this agent, so it knows no attributes.
        let known: [UInt16] = [0]
        var bytes = [UInt8](repeating: 0, count: Int(STUN_MAX_MESSAGE_SIZE_IPV6))
        let count = known.withUnsafeBufferPointer { known in
            bytes.withUnsafeMutableBufferPointer { bytes in
                var (agent, message) = (StunAgent(), StunMessage())
                stun_agent_init(
                    &agent, known.baseAddress, STUN_COMPATIBILITY_RFC5389,
                    StunAgentUsageFlags(
                        STUN_AGENT_USAGE_SHORT_TERM_CREDENTIALS.rawValue | STUN_AGENT_USAGE_USE_FINGERPRINT.rawValue))
                return stun_usage_ice_conncheck_create(
                    &agent, &message, bytes.baseAddress, bytes.count, name, name.count, password, password.count,
                    isControlling, isControlling, priority, tieBreaker, nil,
                    STUN_USAGE_ICE_COMPATIBILITY_RFC5245)
            }
        }
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }
}
