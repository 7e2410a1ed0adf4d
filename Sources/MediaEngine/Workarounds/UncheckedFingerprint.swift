internal import Synchronization

/// `webrtcbin` accepts any DTLS certificate, whatever fingerprint the SDP names.
///
/// Upstream: https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/11953 (1.28.5, in no release of 1.22
/// to 1.26). We compare the two ourselves, on every version, since nobody else is to decide whom a call trusts: `dtlssrtpdec` tells the certificate as soon as
/// the handshake shows it, which is before any key exists. Until the comparison passed, ``SendTrack`` gates are shut and
/// what arrives is held in front of the depayloader by ``hold(_:)``, so that the first key frame is not lost.
final class UncheckedFingerprint: Workaround, Sendable {
    static let mendedIn: GStreamerVersion? = nil

    private enum State {
        case waiting([PadProbe])
        case passed
        case failed
    }

    private let state = Mutex(State.waiting([]))

    /// Holds the streaming thread at `pad` until ``pass()``; for ever if that never comes.
    ///
    /// What waits is bounded by time: the comparison takes under a millisecond, and a connection that fails it is closed.
    func hold(_ pad: Pad) {
        let probe = pad.block()
        let passed = state.withLock { state in
            switch state {
            case .waiting(let probes):
                state = .waiting(probes + [probe])
                return false
            case .passed: return true
            case .failed: return false
            }
        }
        if passed { probe.remove() }
    }

    /// Lets everything flow; later pads are not held at all.
    func pass() {
        let probes = state.withLock { state -> [PadProbe] in
            guard case .waiting(let probes) = state else { return [] }
            state = .passed
            return probes
        }
        for probe in probes { probe.remove() }
    }

    /// Nothing will ever flow.
    func fail() { state.withLock { $0 = .failed } }

    /// Compares a certificate with what the peer's description says.
    static func check(_ pem: String, against expected: Fingerprint) throws(MediaError) {
        guard let actual = Fingerprint(ofCertificate: pem, algorithm: expected.algorithm) else {
            throw .fingerprintMismatch(expected: expected.description, actual: "of no legible certificate")
        }
        guard actual == expected else {
            throw .fingerprintMismatch(expected: expected.description, actual: actual.description)
        }
    }
}
