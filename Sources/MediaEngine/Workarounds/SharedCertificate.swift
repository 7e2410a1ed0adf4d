/// All `dtlsdec` of a process share one RSA certificate, which reveals that two calls belong to the same process.
///
/// Upstream: https://gitlab.freedesktop.org/gstreamer/gstreamer/-/merge_requests/9323 makes it ECDSA, but still one for all. DTLS uses a certificate
/// that is set on `dtlssrtpdec` before the first description. But webrtcbin then writes the fingerprint of certificate and private key together into
/// its descriptions (`_generate_fingerprint_from_certificate` in `webrtcsdp.c` decodes every line of the PEM). No peer that compares would accept
/// that, so we write the right one.
enum SharedCertificate: Workaround {
    static let fixedIn: GStreamerVersion? = nil

    static func replace(in decoder: Element, by certificate: DtlsCertificate) throws(MediaError) {
        try decoder.set("pem", text: certificate.pem)
    }

    static func correctFingerprint(
        in description: SessionDescription, of certificate: DtlsCertificate
    ) -> SessionDescription {
        let lines = description.sdp.split(separator: "\r\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix("a=fingerprint:") ? "a=fingerprint:\(certificate.fingerprint)" : String(line)
        }
        return SessionDescription(kind: description.kind, sdp: lines.joined(separator: "\r\n"))
    }
}
