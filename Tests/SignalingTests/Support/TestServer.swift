import Logging
import SignalingServer

/// Runs `body` with a server on a free port, and stops it.
func withServer(
    logger: Logger = quietLogger, relay: (any SignalingRelay)? = nil,
    _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (Server) async throws -> Void
) async throws {
    var configuration = ServerConfiguration(port: 0)
    // A raw client does not answer pings, and a busy machine is slow.
    configuration.silenceTimeout = .seconds(120)
    configuration.signInTimeout = .seconds(30)
    configure(&configuration)
    let server = try await Server.start(configuration: configuration, relay: relay, logger: logger)
    do {
        try await body(server)
    } catch {
        await server.shutdown()
        throw error
    }
    await server.shutdown()
}

/// Logs nothing, since errors in these tests are expected.
let quietLogger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// A call message with the fields that the server reads, and one that it does not read.
func callMessage(
    _ type: String = "ringing", id: String = "m1", call: String = "c1", from: String, to: String, extra: String = ""
) -> String {
    #"{"v":1,"type":"\#(type)","id":"\#(id)","callId":"\#(call)","from":"\#(from)","to":"\#(to)"\#(extra)}"#
}
