// swift-tools-version: 6.2
import PackageDescription

// Your package, which uses OperationNetworking.
let package = Package(
    name: "app",
    // snippet: begin
    dependencies: [
        // The path of your clone of this repository.
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

// The first program of README.md, and the others of the guide's page Programs.md.
let own: [Target.Dependency] = [
    .product(name: "OperationNetworking", package: "OperationNetworking"),
    .product(name: "LoopbackServer", package: "OperationNetworking"),
]
package.targets += [
    "first", "post", "form", "login", "download", "ten", "retry", "token", "interrupt", "log",
].map { .executableTarget(name: $0, dependencies: own) }
package.targets.append(
    .executableTarget(
        name: "thumbnail",
        dependencies: own + [.product(name: "NetworkImages", package: "OperationNetworking")]))

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
    // What is awaited at the top level of a program waits.
    .executableTarget(name: "awaited", dependencies: awaited),
    // The same file in Swift 5 mode.
    .executableTarget(
        name: "awaited5", dependencies: awaited, swiftSettings: [.swiftLanguageMode(.v5)]),
]
