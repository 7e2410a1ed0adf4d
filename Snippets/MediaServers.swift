// Sends a camera to a media server, receives a stream from one, and is one.

import CallAgent
import MediaEngine
import WHIPSignaling

func publish(_ camera: VideoSource, to url: String, token: String, engine: Engine) async throws {
    // snippet.publish
    let server = WHIPTransport(url: url, role: .publisher, token: { token })
    var configuration = AgentConfiguration(video: camera, audio: .silence)
    configuration.media.direction = .sendonly
    let agent = Agent(user: "camera", media: engine, signaling: server, configuration: configuration)
    try await agent.prepare()
    // The server is the only callee, whatever its name here.
    let session = try await agent.call("server")
    try await session.waitUntilConnected()
    // snippet.end
    await agent.close()
}

func play(_ url: String, engine: Engine) async throws {
    // snippet.play
    let server = WHIPTransport(url: url, role: .player)
    // The sources stay closed: they say that the call is to have video and audio.
    var configuration = AgentConfiguration(video: .test(), audio: .silence)
    configuration.media.direction = .recvonly
    configuration.media.capturePolicy = .perCall
    let agent = Agent(user: "viewer", media: engine, signaling: server, configuration: configuration)
    try await agent.prepare()
    let session = try await agent.call("server", sends: .nothing)
    for await frame in session.frames() { print(frame.width, frame.height) }
    // snippet.end
    await agent.close()
}

func serve(_ camera: VideoSource, tokens: [String: String], engine: Engine) async throws {
    // snippet.serve
    var settings = WHIPEndpointConfiguration(host: "127.0.0.1", port: 8_889)
    settings.user = { token in
        guard let user = tokens[token] else { throw UnknownToken() }
        return user
    }
    let endpoint = WHIPEndpoint(settings)
    let configuration = AgentConfiguration(video: camera, audio: .silence)
    let agent = Agent(user: "camera", media: engine, signaling: endpoint, configuration: configuration)
    try await agent.prepare()
    for await call in agent.incomingCalls {
        print(call.peer, "watches, or sends")
        try await call.accept()
    }
    // snippet.end
}

struct UnknownToken: Error, CustomStringConvertible {
    let description = "this token is not known here"
}
