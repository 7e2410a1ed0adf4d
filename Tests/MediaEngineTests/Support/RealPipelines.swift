import Testing

@testable import MediaEngine

/// The parent of every suite that plays pipelines, so that they run one after the other in a process.
///
/// Many calls at once would compete for the processor, and each census of threads would count all of them.
@Suite("With real pipelines", .serialized, .timeLimit(.minutes(2))) enum RealPipelines {}
