// Sends a camera and a microphone of this machine, and a network camera later in the call.

import CallAgent
import MediaEngine

func callWithCamera(engine: MediaEngine, signaling: any SignalingTransport) async throws {
    // snippet.configure
    var camera = try VideoSource(parsing: "v4l2:/dev/video0", format: VideoFormat(width: 1280, height: 720))
    camera.orientation = .quarter
    let microphone = try AudioSource(parsing: "mic")
    // Unknown, misspelt or missing things are named here, before anybody is called.
    try await engine.check(camera)
    try await engine.check(microphone)

    var configuration = CallAgentConfiguration(video: camera, audio: microphone)
    configuration.media.capturePolicy = .perCall
    // snippet.end

    let agent = CallAgent(user: "alice", media: engine, signaling: signaling, configuration: configuration)
    try await agent.prepare()
    let call = try await agent.call("bob")

    // snippet.change
    for await event in call.events {
        guard case .stateChanged(let change) = event, change.state == .connected else { continue }
        // No negotiation: the peer sees it with the next pictures. When it cannot be opened, the former one goes on.
        try await call.setSource(.video(VideoSource(parsing: "rtsp://192.0.2.7/door")))
        try await call.turnVideo(.upright)
    }
    // snippet.end
    await agent.close()
}
