internal import Logging
internal import MediaEngine

/// The media engine of the program.
enum ProgramEngine {
    static func start(_ pipelineFolder: String?, _ log: LogOptions) async throws -> Engine {
        let folder = try PipelineFolder.checked(pipelineFolder)
        do {
            return try await Engine.start(
                pipelineFolder: folder, gstreamerLog: log.gstreamerLog, logger: log.logger("media"))
        } catch {
            throw Failure(error)
        }
    }
}
