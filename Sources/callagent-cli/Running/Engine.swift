internal import Logging
internal import MediaEngine

/// The media engine of the program.
enum Engine {
    static func start(_ pipelineFolder: String?, _ log: LogOptions) async throws -> MediaEngine {
        let folder = try PipelineFolder.checked(pipelineFolder)
        do {
            return try await MediaEngine.start(
                pipelineFolder: folder, gstreamerLog: log.gstreamerLog, logger: log.logger("media"))
        } catch {
            throw Failure(error)
        }
    }
}
