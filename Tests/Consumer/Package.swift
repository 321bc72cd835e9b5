// swift-tools-version: 6.2
import PackageDescription

// A package that uses OperationNetworking, as yours does. `make test` builds and runs it.
let package = Package(
    name: "app",
    // snippet: begin
    dependencies: [
        // A local copy; from a git server: .package(url: "https://…", branch: "main")
        .package(name: "OperationNetworking", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "app",
            dependencies: [
                .product(name: "OperationNetworking", package: "OperationNetworking"),
                .product(name: "LoopbackServer", package: "OperationNetworking"),
            ])
    ]
    // snippet: end
)

// guide: end
let awaited: [Target.Dependency] = [
    .product(name: "OperationNetworking", package: "OperationNetworking"),
    .product(name: "SessionEra", package: "OperationNetworking"),
    .product(name: "LoopbackServer", package: "OperationNetworking"),
]

// Programs with the old names, against real sockets: what people bring along must run outside, too.
package.targets += [
    // The servers that they talk to.
    .target(
        name: "Peers",
        dependencies: [.product(name: "LoopbackServer", package: "OperationNetworking")]),
    .executableTarget(
        name: "sessions",
        dependencies: ["Peers", .product(name: "AFNetworking", package: "OperationNetworking")],
        // Its names are deprecated, and meant.
        swiftSettings: [.unsafeFlags(["-suppress-warnings"])]),
    .executableTarget(
        name: "requests",
        dependencies: ["Peers", .product(name: "Alamofire", package: "OperationNetworking")]),
    // The first program of README.md.
    .executableTarget(
        name: "first",
        dependencies: [
            .product(name: "OperationNetworking", package: "OperationNetworking"),
            .product(name: "LoopbackServer", package: "OperationNetworking"),
        ]),
    // What is awaited at the top level of a program waits.
    .executableTarget(name: "awaited", dependencies: awaited),
    // The same file in Swift 5 mode.
    .executableTarget(
        name: "awaited5", dependencies: awaited, swiftSettings: [.swiftLanguageMode(.v5)]),
]
