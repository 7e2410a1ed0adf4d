internal import CallAgent
internal import MediaEngine
internal import SignalingServer

/// Why the program ends with an exit code other than 0: one line that says what failed, why, and what to do.
struct Failure: Error, CustomStringConvertible {
    let status: ExitStatus
    let line: String
    /// Other failures, which are printed before this one.
    let earlier: [String]

    var description: String { line }

    init(_ status: ExitStatus, _ line: String, after earlier: [String] = []) {
        self.status = status
        self.line = line
        self.earlier = earlier
    }

    init(_ error: CallError) {
        switch error {
        case .signaling(.invalidURL): self.init(.usage, error.description)
        case .signaling(.cannotListen): self.init(.prerequisite, error.description)
        case .signaling(let signaling): self.init(.signaling, Self.line(signaling))
        case .media(let media): self.init(media.isMissingPrerequisite ? .prerequisite : .noMedia, error.description)
        case .ended(let end): self = Failure(end) ?? Failure(.notAnswered, error.description)
        case .invalidUser, .callsItself, .noMedia, .tooLong, .invalidCallId, .invalidConfiguration, .invalidExtension:
            self.init(.usage, error.description)
        case .notPrepared, .wrongState, .tooManyCalls, .noTelephoneEvents, .noDataChannels:
            self.init(.notAnswered, error.description)
        }
    }

    init(_ error: MediaError) {
        switch error {
        case .unknownChoice, .unknownPipelineDescription, .invalidPipelineDescription, .invalidProperty,
            .unknownProperty, .invalidIceServer:
            self.init(.usage, error.description)
        default: self.init(.prerequisite, error.description)
        }
    }

    init(_ error: ServerError) {
        if case .invalidConfiguration(let field, let text) = error {
            self.init(.usage, ServeOptions.naming(field, text))
        } else {
            self.init(.prerequisite, error.description)
        }
    }

    /// What failed, and what to do with this program.
    private static func line(_ error: SignalingError) -> String {
        switch error {
        case .signInRefused(409, _):
            return
                "\(error); end that program, use another name, or let both ring, each with a --device NAME of its own"
        case .unreachable(let url, let text):
            let isMediaServer = url.lowercased().hasPrefix("http")
            // The texts of `ConnectionFailure`.
            let advice =
                switch text {
                case "connection refused" where url.lowercased().hasPrefix("ws"): "; start it with: callagent serve"
                case "connection refused": "; is it running?"
                case "the host name cannot be resolved":
                    "; check the name in \(isMediaServer ? "the URL" : "--signaling")"
                case _ where text.contains("trusted"): "; --trust-roots names more certificates"
                case _ where isMediaServer || text.contains(";"): ""
                default: "; is it running?"
                }
            return "cannot reach the \(isMediaServer ? "media" : "signaling") server at \(url): \(text)\(advice)"
        case .signInRefused(401, _):
            return "\(error): --token-file FILE"
        default: return error.description
        }
    }

    /// Nil if the call ended normally.
    ///
    /// - Parameter peer: the other end's user, for the advice.
    init?(_ end: CallEnd, peer: String = "USER") {
        let text = end.text.isEmpty ? "" : ": \(end.text.printable)"
        let line = "the call ended with \(end.reason.rawValue) (\(end.code))\(text)"
        let start = "start the callee with: callagent listen --as \(peer)"
        switch end.reason {
        case .localHangup, .remoteHangup: return nil
        case .unknownUser: self.init(.notAnswered, line + "; \(start)")
        case .offline: self.init(.notAnswered, line + "; \(start)")
        case .remoteBusy: self.init(.notAnswered, line + "; call again later")
        case .localCancelled, .remoteCancelled, .localRejected, .remoteRejected, .ringTimeout, .remoteRingTimeout,
            .answeredElsewhere, .declinedElsewhere, .unknownCall:
            self.init(.notAnswered, line)
        case .signalingFailed: self.init(.signaling, line + (end.code == 401 ? "; --token-file FILE" : ""))
        case .connectTimeout, .remoteConnectTimeout:
            let advice = "; do the two ends share a network? see --ice-interface"
            self.init(.noMedia, line + (end.text.isEmpty ? advice : ""))
        case .incompatibleMedia, .remoteLost, .mediaLost, .mediaFailed, .securityFailed, .remoteFailed:
            self.init(.noMedia, line)
        }
    }
}
