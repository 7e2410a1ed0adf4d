internal import CallAgent
internal import MediaEngine
internal import SignalingServer

/// Why the program ends with another code than 0: one line that says what, why and what to do.
struct Failure: Error, CustomStringConvertible {
    let status: ExitStatus
    let line: String

    var description: String { line }

    init(_ status: ExitStatus, _ line: String) {
        self.status = status
        self.line = line
    }

    init(_ error: CallError) {
        switch error {
        case .signaling(.invalidURL): self.init(.usage, error.description)
        case .signaling: self.init(.signaling, error.description)
        case .media(let media): self.init(media.isMissingPrerequisite ? .prerequisite : .noMedia, error.description)
        case .ended(let end): self = Failure(end) ?? Failure(.notAnswered, error.description)
        case .invalidUser, .callsItself, .noMedia, .tooLong, .invalidCallId, .invalidConfiguration, .invalidExtension:
            self.init(.usage, error.description)
        case .notPrepared, .wrongState, .tooManyCalls, .noTelephoneEvents: self.init(.notAnswered, error.description)
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

    init(_ error: SignalingServerError) {
        if case .invalidConfiguration = error {
            self.init(.usage, error.description)
        } else {
            self.init(.prerequisite, error.description)
        }
    }

    /// Nil for a call that ended as calls do.
    init?(_ end: CallEnd) {
        let text = end.text.isEmpty ? "" : ": \(end.text.printable)"
        let line = "the call ended with \(end.reason.rawValue) (\(end.code))\(text)"
        switch end.reason {
        case .localHangup, .remoteHangup: return nil
        case .unknownUser: self.init(.notAnswered, line + "; has that user ever signed in to this server?")
        case .offline: self.init(.notAnswered, line + "; start the callee with: callagent listen --as USER")
        case .remoteBusy: self.init(.notAnswered, line + "; call again later")
        case .localCancelled, .remoteCancelled, .localRejected, .remoteRejected, .ringTimeout, .remoteRingTimeout,
            .answeredElsewhere, .declinedElsewhere, .unknownCall:
            self.init(.notAnswered, line)
        case .signalingFailed: self.init(.signaling, line)
        case .connectTimeout, .remoteConnectTimeout:
            self.init(.noMedia, line + "; do the two ends share a network? see --ice-interface")
        case .incompatibleMedia, .remoteLost, .mediaLost, .mediaFailed, .securityFailed, .remoteFailed:
            self.init(.noMedia, line)
        }
    }
}
