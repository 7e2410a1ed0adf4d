import CallAgent
import MediaEngine
import WebSocketSignaling

@main
struct FirstCall {
    static func main() async throws {
        let engine = try await Engine.start()
        let signaling = WebSocketTransport(url: CommandLine.arguments.dropFirst().first ?? "ws://127.0.0.1:8080")
        var configuration = AgentConfiguration(video: .test(.ball), audio: .tone(hertz: 440))
        configuration.media.tuning = .loopback  // calls within this machine only
        let agent = Agent(user: "alice", media: engine, signaling: signaling, configuration: configuration)
        try await agent.prepare()
        let call = try await agent.call("bob")
        for await event in call.events {
            print(event)
            if case .reached(.firstVideoShown, _) = event { await call.hangUp() }
        }
        await agent.close()
    }
}
