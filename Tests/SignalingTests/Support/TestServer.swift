import Logging
import SignalingServer

/// Runs `body` with a server on a free port, and stops it.
func withServer(
    logger: Logger = quietLogger, _ configure: (inout SignalingServerConfiguration) -> Void = { _ in },
    _ body: (SignalingServer) async throws -> Void
) async throws {
    var configuration = SignalingServerConfiguration(port: 0)
    // A raw client answers no pings, and a busy machine takes its time.
    configuration.silenceTimeout = .seconds(120)
    configuration.signInTimeout = .seconds(30)
    configure(&configuration)
    let server = try await SignalingServer.start(configuration: configuration, logger: logger)
    do {
        try await body(server)
    } catch {
        await server.shutdown()
        throw error
    }
    await server.shutdown()
}

/// Says nothing: what is expected to go wrong in a test need not be read.
let quietLogger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// A call message with the fields that the server reads, and one that it does not.
func callMessage(
    _ type: String = "ringing", id: String = "m1", call: String = "c1", from: String, to: String, extra: String = ""
) -> String {
    #"{"v":1,"type":"\#(type)","id":"\#(id)","callId":"\#(call)","from":"\#(from)","to":"\#(to)"\#(extra)}"#
}
