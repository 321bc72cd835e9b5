// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as a user's is: `make test` builds and runs it.
let package = Package(
    name: "app",
    // snippet: begin
    dependencies: [
        // A copy in a folder; of a git server: .package(url: "https://…", branch: "main")
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
