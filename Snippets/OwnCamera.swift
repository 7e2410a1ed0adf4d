// Sends a camera and a microphone of this machine, and later in the call a network camera.

import CallAgent
import MediaEngine

func callWithCamera(engine: Engine, signaling: any SignalingTransport) async throws {
    // snippet.configure
    var camera = try VideoSource(parsing: "v4l2:/dev/video0", format: VideoFormat(width: 1280, height: 720))
    camera.orientation = .quarter
    let microphone = try AudioSource(parsing: "mic")
    // Reports unknown, misspelt or missing things before any call.
    try await engine.check(camera)
    try await engine.check(microphone)

    var configuration = AgentConfiguration(video: camera, audio: microphone)
    configuration.media.capturePolicy = .perCall
    // snippet.end

    let agent = Agent(user: "alice", media: engine, signaling: signaling, configuration: configuration)
    try await agent.prepare()
    let call = try await agent.call("bob")

    // snippet.change
    for await event in call.events {
        guard case .stateChanged(let change) = event, change.state == .connected else { continue }
        // No negotiation: the peer sees it with the next frames. If the camera cannot be opened, the call continues with the former one.
        try await call.setSource(.video(VideoSource(parsing: "rtsp://192.0.2.7/door")))
        try await call.turnVideo(.upright)
    }
    // snippet.end
    await agent.close()
}
