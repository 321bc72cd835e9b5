// swift-tools-version: 6.0
import PackageDescription

let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "OperationNetworking",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "CurlConnection", targets: ["CurlConnection"]),
        .library(name: "OperationNetworking", targets: ["OperationNetworking"]),
        .library(name: "LoopbackServer", targets: ["LoopbackServer"]),
        .executable(name: "eras", targets: ["eras"]),
    ],
    targets: [
        // libcurl's C interface; seen by CurlConnection/Curl alone.
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        // epoll, timerfd and eventfd, which Swift's Glibc module leaves out.
        .systemLibrary(name: "CEpoll"),
        // OpenSSL: SHA-256 for the command-line tool, certificates later.
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        // NSURLConnection's contract on libcurl and a run loop.
        .target(name: "CurlConnection", dependencies: ["CCurl", "CEpoll"], swiftSettings: house),
        // The port: operations on one network thread, and the manager that limits them.
        .target(
            name: "OperationNetworking", dependencies: ["CurlConnection"], swiftSettings: house),
        // The scripted server on 127.0.0.1 that tests, lessons and the main job share.
        .target(name: "LoopbackServer", swiftSettings: house),
        // The command-line tool.
        .executableTarget(
            name: "eras",
            dependencies: ["OperationNetworking", "CurlConnection", "LoopbackServer", "COpenSSL"],
            swiftSettings: house),

        .testTarget(
            name: "LoopbackServerTests", dependencies: ["LoopbackServer"], swiftSettings: house),
        .testTarget(
            name: "CurlConnectionTests", dependencies: ["CurlConnection", "LoopbackServer"],
            swiftSettings: house),
        .testTarget(
            name: "OperationNetworkingTests",
            dependencies: ["OperationNetworking", "CurlConnection", "LoopbackServer"],
            swiftSettings: house),
        .testTarget(
            name: "ParityTests",
            dependencies: ["OperationNetworking", "CurlConnection", "LoopbackServer"],
            resources: [.copy("Golden")],
            swiftSettings: house),
        .testTarget(
            name: "FaultTests",
            dependencies: ["OperationNetworking", "CurlConnection", "LoopbackServer"],
            swiftSettings: house),
        .testTarget(
            name: "ErasTests", dependencies: ["eras", "LoopbackServer"], swiftSettings: house),
    ]
)
