internal import Synchronization

/// `webrtcbin` accepts any DTLS certificate, whatever fingerprint the SDP names.
///
/// Upstream: https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/11953 (1.28.5, in no release of 1.22 to 1.26). We compare the two
/// ourselves, on every version, because trust must not depend on another library. `dtlssrtpdec` reports the certificate as soon as the handshake
/// shows it, before any key exists. Until the comparison passes, ``SendTrack`` gates are closed, and ``hold(_:)`` keeps received packets in front of
/// the depayloader, so that the first key frame is not lost.
final class UncheckedFingerprint: Workaround, Sendable {
    static let fixedIn: GStreamerVersion? = nil

    private enum State {
        case waiting([PadProbe])
        case passed
        case failed
    }

    private let state = Mutex(State.waiting([]))

    /// Blocks the streaming thread at `pad` until ``pass()``; forever if that is never called.
    ///
    /// The wait is short: the comparison takes under a millisecond, and a connection that fails it is closed.
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

    /// Lets all data pass; later pads are not blocked at all.
    func pass() {
        let probes = state.withLock { state -> [PadProbe] in
            guard case .waiting(let probes) = state else { return [] }
            state = .passed
            return probes
        }
        for probe in probes { probe.remove() }
    }

    /// Marks the check as failed: data never passes.
    func fail() { state.withLock { $0 = .failed } }

    /// Compares a certificate with the fingerprint in the peer's description.
    static func check(_ pem: String, against expected: Fingerprint) throws(MediaError) {
        guard let actual = Fingerprint(ofCertificate: pem, algorithm: expected.algorithm) else {
            throw .fingerprintMismatch(expected: expected.description, actual: "of no legible certificate")
        }
        guard actual == expected else {
            throw .fingerprintMismatch(expected: expected.description, actual: actual.description)
        }
    }
}
