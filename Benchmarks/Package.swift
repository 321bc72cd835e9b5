// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses the library builds it. `make bench` runs it.
let house: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "bench-allocations", type: .dynamic, targets: ["CAllocations"])
    ],
    dependencies: [.package(name: "OperationNetworking", path: "..")],
    targets: [
        // Counts blocks of memory, where it is loaded first; not for timing.
        .target(name: "CAllocations"),
        // Clock, CPU time, memory, descriptors: one way of measuring for all clients.
        .target(name: "CMeasure"),
        // The limit: libcurl's multi socket interface and epoll, in C.
        .executableTarget(
            name: "bench-loop", dependencies: ["CMeasure"], path: "Sources/CLoop",
            linkerSettings: [.linkedLibrary("curl")]),
        // What nginx cannot: no answer, a late one, a sink for uploads.
        .executableTarget(name: "bench-peer", path: "Sources/CPeer"),
        // Every rival written in Swift, one a process.
        .executableTarget(
            name: "bench-client",
            dependencies: [
                "CMeasure",
                .product(name: "CurlConnection", package: "OperationNetworking"),
                .product(name: "EventRecorder", package: "OperationNetworking"),
                .product(name: "LoopbackServer", package: "OperationNetworking"),
                .product(name: "NetworkImages", package: "OperationNetworking"),
                .product(name: "OperationNetworking", package: "OperationNetworking"),
                .product(name: "RequestEra", package: "OperationNetworking"),
                .product(name: "SessionEra", package: "OperationNetworking"),
            ],
            path: "Sources/Client", swiftSettings: house),
        // Starts servers and rivals, compares, reports.
        .executableTarget(
            name: "bench",
            dependencies: [
                "CMeasure", .product(name: "NetworkImages", package: "OperationNetworking"),
            ],
            path: "Sources/Bench", swiftSettings: house),
    ]
)
