// swift-tools-version:6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// Targets that hold no unsafe code say so to the compiler; the binding and what stands on it cannot.
let safeSettings = settings + [.strictMemorySafety()]

let package = Package(
    name: "callagent",
    products: [
        .library(name: "MediaEngine", targets: ["MediaEngine"]),
        .library(name: "CallAgent", targets: ["CallAgent"]),
        .library(name: "CallProtocol", targets: ["CallProtocol"]),
        .library(name: "WebSocketSignaling", targets: ["WebSocketSignaling"]),
        .library(name: "MQTTSignaling", targets: ["MQTTSignaling"]),
        .library(name: "WHIPSignaling", targets: ["WHIPSignaling"]),
        .library(name: "RoomClient", targets: ["RoomClient"]),
        .library(name: "SignalingServer", targets: ["SignalingServer"]),
        .executable(name: "callagent", targets: ["callagent-cli"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-crypto", "4.0.0"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.1.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CGStreamer",
            pkgConfig:
                "gstreamer-webrtc-1.0 gstreamer-sdp-1.0 gstreamer-video-1.0 gstreamer-audio-1.0 gstreamer-app-1.0 "
                + "gstreamer-rtp-1.0 nice"),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto"),
        .target(name: "CWebRTCIce", dependencies: ["CGStreamer"]),
        .target(
            name: "BuiltInPipelines",
            path: "pipelines",
            resources: [
                .embedInCode("sources"), .embedInCode("encoders"), .embedInCode("decoders"), .embedInCode("sinks"),
            ],
            swiftSettings: safeSettings),
        .target(name: "CallProtocol", swiftSettings: safeSettings),
        .target(name: "LocalNetwork", swiftSettings: settings),
        .target(
            name: "TransportSecurity",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: safeSettings),
        .target(
            name: "HTTPClient",
            dependencies: [
                "LocalNetwork", "TransportSecurity",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: safeSettings),
        .target(
            name: "WebSocketClient",
            dependencies: [
                "TransportSecurity",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: safeSettings),
        .target(
            name: "MediaEngine",
            dependencies: [
                "CGStreamer", "CWebRTCIce", "BuiltInPipelines", "LocalNetwork", "TransportSecurity",
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .target(
            name: "CallAgent",
            dependencies: [
                "CallProtocol", "LocalNetwork", "MediaEngine",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: safeSettings),
        .target(
            name: "WebSocketSignaling",
            dependencies: [
                "CallAgent", "CallProtocol", "LocalNetwork", "TransportSecurity", "WebSocketClient",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: safeSettings),
        .target(
            name: "MQTTSignaling",
            dependencies: [
                "CMosquitto", "CallAgent", "CallProtocol",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .target(
            name: "WHIPSignaling",
            dependencies: [
                "CallAgent", "CallProtocol", "HTTPClient", "TransportSecurity",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: safeSettings),
        .target(
            name: "RoomClient",
            dependencies: [
                "CallAgent", "CallProtocol", "LocalNetwork", "MediaEngine", "TransportSecurity", "WebSocketClient",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: safeSettings),
        .target(
            name: "SignalingServer",
            dependencies: [
                "CallProtocol", "TransportSecurity",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            resources: [.embedInCode("Page")],
            swiftSettings: safeSettings),
        .executableTarget(
            name: "callagent-cli",
            dependencies: [
                "MediaEngine", "CallAgent", "CallProtocol", "HTTPClient", "LocalNetwork", "WebSocketSignaling",
                "MQTTSignaling", "WHIPSignaling", "RoomClient", "SignalingServer", "TransportSecurity",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: safeSettings),
        .executableTarget(
            name: "first-call", dependencies: ["MediaEngine", "CallAgent", "WebSocketSignaling"],
            path: "Examples/FirstCall", swiftSettings: settings),
        .executableTarget(
            name: "signaling-load",
            dependencies: [
                "CallAgent", "CallProtocol", "MQTTSignaling", "SignalingServer", "WebSocketSignaling",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            path: "Benchmarks/SignalingLoad",
            swiftSettings: settings),
        .executableTarget(
            name: "engine-call", dependencies: ["MediaEngine"], path: "Benchmarks/EngineCall",
            swiftSettings: settings),
        .executableTarget(name: "path-emulator", path: "Benchmarks/PathEmulator"),
        .executableTarget(name: "call-graph", dependencies: ["CGStreamer"], path: "Benchmarks/CallGraph"),
        .executableTarget(
            name: "fuzz-target", dependencies: ["MediaEngine"], path: "Tests/FuzzTarget", swiftSettings: settings),
        .target(
            name: "TestServers",
            dependencies: [
                "BuiltInPipelines", "TransportSecurity",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            path: "Tests/TestServers",
            swiftSettings: settings),
        .target(
            name: "Conformance", dependencies: ["CallAgent", "CallProtocol"], path: "Tests/Conformance",
            swiftSettings: settings),
        .testTarget(
            name: "MediaEngineTests",
            dependencies: [
                "LocalNetwork", "MediaEngine", "TestServers", "TransportSecurity", "fuzz-target",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CallAgentTests",
            dependencies: [
                "CallAgent", "CallProtocol", "Conformance", "MediaEngine",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SignalingTests",
            dependencies: [
                "SignalingServer", "WebSocketSignaling", "MQTTSignaling", "WHIPSignaling", "RoomClient", "HTTPClient",
                "CallAgent", "CallProtocol", "MediaEngine", "TestServers",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "callagent-cli", "first-call", "MediaEngine", "BuiltInPipelines", "CallAgent", "CallProtocol",
                "SignalingServer",
                "WebSocketSignaling", "MQTTSignaling", "TestServers",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PeerTests",
            dependencies: ["callagent-cli", "CallAgent", "CallProtocol", "Conformance", "MediaEngine", "TestServers"],
            exclude: ["Peers", "Screenshots"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
