internal import Logging
internal import MediaEngine

/// The media engine of the program.
enum Engine {
    static func start(_ pipelineFolder: String?, logger: @autoclosure () -> Logger) async throws -> MediaEngine {
        let folder = try PipelineFolder.checked(pipelineFolder)
        do {
            return try await MediaEngine.start(pipelineFolder: folder, logger: logger())
        } catch {
            throw Failure(error)
        }
    }
}
