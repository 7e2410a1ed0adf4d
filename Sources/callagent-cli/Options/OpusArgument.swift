internal import ArgumentParser
internal import MediaEngine

/// A set of Opus parameters by name.
enum OpusArgument: String, ExpressibleByArgument, CaseIterable {
    case full, stack, economical

    var parameters: OpusParameters {
        switch self {
        case .full: OpusParameters()
        case .stack: .stack
        case .economical: .economical
        }
    }
}
