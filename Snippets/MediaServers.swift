// Sends a camera to a media server, and receives a stream from one.

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
