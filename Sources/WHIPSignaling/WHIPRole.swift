/// What the HTTP client of a media server does.
public enum WHIPRole: String, Sendable, CaseIterable {
    /// It sends media to the server (WHIP, RFC 9725).
    case publisher = "whip"
    /// It receives media from the server (WHEP, draft-ietf-wish-whep).
    case player = "whep"

    /// The usual last part of the endpoint's URL: `whip` or `whep`.
    public var endpoint: String { rawValue }
}
