// swift-tools-version: 6.2
import PackageDescription

// The exercises of the lessons, on the small port of the package above:
//
//     swift run --package-path Exercises check-07
//
// One package, so that what they share is built once.
let exercises = [
    "01-in-turn",
    "02-thread-each",
    "03-no-port",
    "04-no-wake-up",
    "05-default-mode",
    "06-no-announcement",
    "07-plain-lock",
    "08-cancel-here",
    "09-short-write",
    "10-completion-here",
    "11-any-pin",
    "12-no-dependencies",
    "13-width-8",
    "14-one-buffer",
    "15-late-handler",
    "16-two-downloads",
    "17-blocking-task",
    "18-traces",
    "19-small-port",
]

let package = Package(
    name: "Exercises",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "OperationNetworking", path: "..")],
    targets: exercises.map { name in
        .executableTarget(
            name: "check-" + name.prefix(2),
            dependencies: [
                .product(name: "Lessons", package: "OperationNetworking"),
                .product(name: "SmallPort", package: "OperationNetworking"),
            ],
            path: name + "/Sources", swiftSettings: [.swiftLanguageMode(.v6)])
    }
)
