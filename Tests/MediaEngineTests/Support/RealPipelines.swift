import Testing

@testable import MediaEngine

/// Every suite that plays pipelines is part of this one, so that they run one after the other.
///
/// Two calls at a time would take each other's processor, and the censuses of threads would count both.
@Suite("With real pipelines", .serialized, .timeLimit(.minutes(2))) enum RealPipelines {}
