extension CallMachine {
    /// What a `reject` means to the caller.
    ///
    /// The code itself is kept beside the reason.
    static func reasonForReject(_ code: Int) -> EndReason {
        switch code {
        case EndReason.remoteBusy.code: .remoteBusy
        default: reasonForFarewell(code, otherwise: .remoteRejected)
        }
    }

    /// What the code of a `reject`, `cancel` or `hangup` means to the one who receives it.
    static func reasonForFarewell(_ code: Int, otherwise: EndReason) -> EndReason {
        switch code {
        case EndReason.ringTimeout.code: .remoteRingTimeout
        case EndReason.connectTimeout.code: .remoteConnectTimeout
        case EndReason.incompatibleMedia.code: .incompatibleMedia
        case EndReason.remoteFailed.code: .remoteFailed
        default: otherwise
        }
    }
}
