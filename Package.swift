// swift-tools-version: 6.2
import PackageDescription

// `make test` sets the variable: a warning in our own code is an error, deprecations in old sources are not.
let strict: [SwiftSetting] =
    Context.environment["OPERATION_NETWORKING_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]
let house: [SwiftSetting] =
    strict + [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("ExistentialAny"),
    ]

// Sources in the old spelling: every name in them is deprecated, on purpose.
func oldSpelling(_ mode: SwiftLanguageMode) -> [SwiftSetting] {
    [.swiftLanguageMode(mode), .unsafeFlags(["-suppress-warnings"])]
}

let package = Package(
    name: "OperationNetworking",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "CurlConnection", targets: ["CurlConnection"]),
        .library(name: "OperationNetworking", targets: ["OperationNetworking"]),
        .library(name: "DurableQueue", targets: ["DurableQueue"]),
        .library(name: "AFNetworking", targets: ["AFNetworking"]),
        .library(name: "SessionEra", targets: ["SessionEra"]),
        .library(name: "RequestEra", targets: ["RequestEra"]),
        .library(name: "Alamofire", targets: ["Alamofire"]),
        .library(name: "NetworkImages", targets: ["NetworkImages"]),
        .library(name: "EventRecorder", targets: ["EventRecorder"]),
        .library(name: "TimelinePage", targets: ["TimelinePage"]),
        .library(name: "LoopbackServer", targets: ["LoopbackServer"]),
        .library(name: "SmallPort", targets: ["SmallPort8Completion"]),
        .library(name: "Lessons", targets: ["Lessons"]),
        .executable(name: "eras", targets: ["eras"]),
    ],
    targets: [
        // libcurl's C interface; seen by CurlConnection/Curl alone.
        .systemLibrary(
            name: "CCurl", path: "Sources/Foundations/CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        // What Swift's Glibc module leaves out (epoll, timerfd, eventfd, netlink), and what a file is like
        // as plain numbers.
        .systemLibrary(name: "CLinux", path: "Sources/Foundations/CLinux"),
        // What an event needs and Swift has no quick word for: the processor's counter, a flag for all
        // modules, what is a thread's own.
        .target(name: "CEvents", path: "Sources/Foundations/CEvents"),
        // The recordings of the originals, for the tests that play them and for `eras compare`.
        .target(
            name: "CTraces", path: "Sources/Foundations/CTraces", exclude: ["Golden"],
            // Where traces.S looks for the recordings.
            cSettings: [.headerSearchPath("Golden")]),
        // zlib: coded bodies, which libcurl takes for whole when they are cut.
        .systemLibrary(
            name: "CZlib", path: "Sources/Foundations/CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        // libpsl: which domains are open to anybody's registration.
        .systemLibrary(
            name: "CPublicSuffix", path: "Sources/Foundations/CPublicSuffix", pkgConfig: "libpsl",
            providers: [.apt(["libpsl-dev"]), .brew(["libpsl"])]),
        // SQLite: where a durable queue keeps its entries.
        .systemLibrary(
            name: "CSQLite", path: "Sources/Foundations/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        // simdjson behind a plain C header. What pkg-config says of it is no flag of a package: it
        // says how the library was built, which the header must be told.
        .target(
            name: "CSimdJSON", path: "Sources/Foundations/CSimdJSON",
            cxxSettings: [.define("SIMDJSON_THREADS_ENABLED", to: "1")],
            linkerSettings: [.linkedLibrary("simdjson")]),
        // OpenSSL: certificates for HTTPSemantics/Trust, SHA-256 for caches and downloads.
        .systemLibrary(
            name: "COpenSSL", path: "Sources/Foundations/COpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        // libjpeg's interface behind plain functions that return what became of the picture.
        .target(
            name: "CJPEG", path: "Sources/Foundations/CJPEG",
            linkerSettings: [.linkedLibrary("jpeg")]),
        // libpng's interface of rows behind plain functions that return codes.
        .target(
            name: "CPNG", path: "Sources/Foundations/CPNG",
            linkerSettings: [.linkedLibrary("png16")]),
        // A value and the lock that guards it; a C object and its owner.
        .target(name: "Locking", path: "Sources/Foundations/Locking", swiftSettings: house),
        // What happens, as fixed-size events: the record that pictures and comparisons are made from.
        .target(
            name: "EventRecorder", dependencies: ["CEvents", "Locking"],
            path: "Sources/Observing/EventRecorder", swiftSettings: house),
        // A recording, or several beside each other, as a page of HTML.
        .target(
            name: "TimelinePage", dependencies: ["EventRecorder"],
            path: "Sources/Observing/TimelinePage",
            resources: [
                .embedInCode("Page/template.html"), .embedInCode("Page/page.css"),
                .embedInCode("Page/page.js"),
            ],
            swiftSettings: house),
        // What HTTP's fields, cookies, caches, challenges and certificates mean; no socket, no libcurl.
        .target(
            name: "HTTPSemantics",
            dependencies: ["CLinux", "COpenSSL", "CPublicSuffix", "EventRecorder", "Locking"],
            path: "Sources/Transport/HTTPSemantics", swiftSettings: house),
        // Who may begin now, and on which thread: limits, queues, worker threads.
        .target(
            name: "Scheduling", dependencies: ["EventRecorder", "HTTPSemantics", "Locking"],
            path: "Sources/Transport/Scheduling", swiftSettings: house),
        // NSURLConnection's contract on libcurl and a run loop.
        .target(
            name: "CurlConnection",
            dependencies: [
                "CCurl", "CLinux", "COpenSSL", "CZlib", "EventRecorder",
                "HTTPSemantics", "Locking", "Scheduling",
            ],
            path: "Sources/Transport/CurlConnection", swiftSettings: house),
        // The port: operations on one network thread, managers, serializers, reachability.
        .target(
            name: "OperationNetworking",
            dependencies: [
                "CurlConnection", "EventRecorder", "HTTPSemantics", "Locking", "CLinux",
                "CSimdJSON", "Scheduling",
            ],
            path: "Sources/Operations/OperationNetworking", swiftSettings: house),
        // Requests that outlive the process.
        .target(
            name: "DurableQueue",
            dependencies: [
                "CLinux", "CSQLite", "CurlConnection", "HTTPSemantics", "Locking",
                "OperationNetworking",
            ],
            path: "Sources/Operations/DurableQueue", swiftSettings: house),
        // Images: their decoding within limits, a memory cache, a serializer.
        .target(
            name: "NetworkImages",
            dependencies: [
                "CLinux", "CPNG", "CJPEG", "CurlConnection", "HTTPSemantics", "Locking",
                "OperationNetworking", "Scheduling",
            ],
            path: "Sources/Images/NetworkImages", swiftSettings: house),
        // The old names, so that sources written for AFNetworking 2.x compile as they are.
        .target(
            name: "AFNetworking",
            dependencies: [
                "OperationNetworking", "SessionEra", "CurlConnection", "HTTPSemantics",
                "NetworkImages",
            ],
            path: "Sources/Operations/AFNetworking", swiftSettings: house),
        // Tasks as both later eras need them, on URLConnection.
        .target(
            name: "SessionTasks",
            dependencies: [
                "CLinux", "CurlConnection", "EventRecorder", "HTTPSemantics", "Locking",
                "OperationNetworking", "Scheduling",
            ],
            path: "Sources/LaterEras/SessionTasks", swiftSettings: house),
        // AFNetworking 4's architecture.
        .target(
            name: "SessionEra",
            dependencies: [
                "OperationNetworking", "CurlConnection", "EventRecorder", "HTTPSemantics",
                "Locking", "Scheduling", "SessionTasks",
            ],
            path: "Sources/LaterEras/SessionEra", swiftSettings: house),
        // Alamofire 4's architecture.
        .target(
            name: "RequestEra",
            dependencies: [
                "CLinux", "CurlConnection", "EventRecorder", "HTTPSemantics", "Locking",
                "OperationNetworking", "Scheduling", "SessionTasks",
            ],
            path: "Sources/LaterEras/RequestEra", swiftSettings: house),
        // Its old names, so that sources written for Alamofire 4 compile as they are.
        .target(
            name: "Alamofire",
            dependencies: [
                "CurlConnection", "HTTPSemantics", "Locking", "RequestEra", "SessionTasks",
            ],
            path: "Sources/LaterEras/Alamofire", swiftSettings: house),
        // The scripted server on 127.0.0.1 that tests, lessons and the main job share.
        .target(
            name: "LoopbackServer", dependencies: ["EventRecorder", "Locking", "COpenSSL"],
            path: "Sources/Observing/LoopbackServer", swiftSettings: house),
        // The architecture in four hundred lines, and how it grew: each state is a module of its own.
        .target(
            name: "SmallPort1Thread", path: "Lessons/SmallPort/1-Thread",
            swiftSettings: house),
        .target(
            name: "SmallPort2Loop", dependencies: ["CLinux"], path: "Lessons/SmallPort/2-Loop",
            swiftSettings: house),
        .target(
            name: "SmallPort3HandOver", dependencies: ["CLinux"],
            path: "Lessons/SmallPort/3-HandOver",
            swiftSettings: house),
        .target(
            name: "SmallPort4Operation", dependencies: ["CLinux"],
            path: "Lessons/SmallPort/4-Operation",
            swiftSettings: house),
        .target(
            name: "SmallPort5States", dependencies: ["CLinux"], path: "Lessons/SmallPort/5-States",
            swiftSettings: house),
        .target(
            name: "SmallPort6Lock", dependencies: ["CLinux"], path: "Lessons/SmallPort/6-Lock",
            swiftSettings: house),
        .target(
            name: "SmallPort7Cancel", dependencies: ["CLinux"], path: "Lessons/SmallPort/7-Cancel",
            swiftSettings: house),
        .target(
            name: "SmallPort8Completion", dependencies: ["CLinux"],
            path: "Lessons/SmallPort/8-Completion",
            swiftSettings: house),
        // The experiments of the lessons, and the checks of the exercises.
        .target(
            name: "Lessons",
            dependencies: [
                "EventRecorder", "Locking", "LoopbackServer", "SmallPort1Thread", "SmallPort2Loop",
                "SmallPort3HandOver", "SmallPort4Operation", "SmallPort5States", "SmallPort6Lock",
                "SmallPort7Cancel", "SmallPort8Completion",
            ],
            path: "Sources/Teaching/Lessons", resources: [.embedInCode("quiz.json")],
            swiftSettings: house),
        // The experiments that need the eras; apart, so that the exercises build in little time.
        .target(
            name: "EraLessons",
            dependencies: [
                "CurlConnection", "EventRecorder", "HTTPSemantics", "Lessons", "Locking",
                "LoopbackServer", "NetworkImages", "OperationNetworking", "RequestEra",
                "SessionEra", "SessionTasks",
            ],
            path: "Sources/Teaching/EraLessons", swiftSettings: house),
        // The recordings of the originals beside what this package does, as rows of two columns.
        .target(
            name: "RecordedTraces", dependencies: ["CTraces"],
            path: "Sources/Teaching/RecordedTraces", swiftSettings: house),
        // Picture files that code draws, to try things with where there is no network.
        .target(
            name: "DrawnPictures", dependencies: ["CJPEG", "NetworkImages"],
            path: "Sources/Program/DrawnPictures", swiftSettings: house),
        // The command-line tool.
        .executableTarget(
            name: "eras",
            dependencies: [
                "OperationNetworking", "SessionEra", "RequestEra", "CurlConnection",
                "DrawnPictures", "DurableQueue", "EventRecorder", "EraLessons", "Lessons",
                "HTTPSemantics", "Locking", "LoopbackServer", "NetworkImages", "RecordedTraces",
                "TimelinePage", "CLinux",
            ],
            path: "Sources/Program/eras", swiftSettings: house),

        // What tests of several modules share.
        .target(
            name: "TestSupport", dependencies: ["HTTPSemantics", "LoopbackServer", "Locking"],
            path: "Tests/Shared/TestSupport", swiftSettings: house),
        // Recordings of the originals as values, and the line that tells how they came out.
        .target(
            name: "ParitySupport", dependencies: ["RecordedTraces"],
            path: "Tests/Shared/ParitySupport", swiftSettings: house),
        // Certificates and an HTTPS server made at test time.
        .target(
            name: "TLSPeer", dependencies: ["HTTPSemantics", "LoopbackServer", "COpenSSL"],
            path: "Tests/Shared/TLSPeer", swiftSettings: house),
        // What the test process holds: its peak of memory, and what malloc has given out.
        .target(name: "ProcessUse", path: "Tests/Shared/ProcessUse", swiftSettings: house),
        // The system's look-up of names for tests: it can be held.
        .target(name: "LookUpPeer", path: "Tests/Shared/LookUpPeer", swiftSettings: house),
        // HTTP and SOCKS proxies for tests.
        .target(name: "ProxyPeer", path: "Tests/Shared/ProxyPeer", swiftSettings: house),
        .testTarget(
            name: "EventRecorderTests", dependencies: ["EventRecorder", "ProcessUse"],
            path: "Tests/Observing/EventRecorderTests", swiftSettings: house),
        .testTarget(
            name: "LoopbackServerTests", dependencies: ["LoopbackServer", "COpenSSL"],
            path: "Tests/Observing/LoopbackServerTests", swiftSettings: house),
        .testTarget(
            name: "HTTPSemanticsTests",
            dependencies: ["HTTPSemantics", "TestSupport", "TLSPeer", "COpenSSL"],
            path: "Tests/Transport/HTTPSemanticsTests", swiftSettings: house),
        .testTarget(
            name: "SchedulingTests",
            dependencies: ["HTTPSemantics", "Scheduling", "TestSupport"],
            path: "Tests/Transport/SchedulingTests", swiftSettings: house),
        .testTarget(
            name: "CurlConnectionTests",
            dependencies: [
                "CurlConnection", "Scheduling", "HTTPSemantics", "LookUpPeer", "LoopbackServer",
                "ProcessUse",
                "ProxyPeer", "TestSupport", "TLSPeer", "COpenSSL", "CZlib", "CCurl", "CLinux",
                "EventRecorder",
            ],
            path: "Tests/Transport/CurlConnectionTests", swiftSettings: house),
        .testTarget(
            name: "OperationNetworkingTests",
            dependencies: [
                "CLinux", "CurlConnection", "EventRecorder", "HTTPSemantics", "Locking",
                "OperationNetworking", "ProcessUse", "Scheduling", "TestSupport", "TLSPeer",
            ],
            path: "Tests/Operations/OperationNetworkingTests", swiftSettings: house),
        .testTarget(
            name: "DurableQueueTests",
            dependencies: [
                "CSQLite", "CurlConnection", "DurableQueue", "HTTPSemantics",
                "OperationNetworking", "TestSupport",
            ],
            path: "Tests/Operations/DurableQueueTests", swiftSettings: house),
        // Pictures that others drew and broke, mutated ones, a cache, a serializer.
        .testTarget(
            name: "NetworkImagesTests",
            dependencies: [
                "NetworkImages", "COpenSSL", "CurlConnection", "DrawnPictures",
                "OperationNetworking", "ProcessUse", "RequestEra", "SessionEra", "SessionTasks",
                "TestSupport",
            ],
            path: "Tests/Images/NetworkImagesTests", resources: [.copy("Pictures")],
            swiftSettings: house),
        .testTarget(
            name: "ParityTests",
            dependencies: [
                "NetworkImages", "OperationNetworking", "CurlConnection", "ParitySupport",
                "RecordedTraces", "TestSupport",
            ],
            path: "Tests/Operations/ParityTests", resources: [.copy("Golden")],
            swiftSettings: house),
        .testTarget(
            name: "FaultTests",
            dependencies: [
                "COpenSSL", "EventRecorder", "HTTPSemantics", "OperationNetworking",
                "CurlConnection", "LookUpPeer", "ProcessUse", "RequestEra", "SessionEra",
                "TestSupport", "TLSPeer",
            ],
            path: "Tests/Operations/FaultTests", swiftSettings: house),
        // A disk that does not answer.
        .testTarget(
            name: "DiskTests",
            dependencies: [
                "CurlConnection", "HTTPSemantics", "OperationNetworking", "RequestEra",
                "Scheduling", "SessionEra", "SessionTasks", "TestSupport", "TLSPeer",
            ],
            path: "Tests/Operations/DiskTests", swiftSettings: house),
        // A server with 267 faults, and other peers where they are running.
        .testTarget(
            name: "PeerTests",
            dependencies: ["OperationNetworking", "CurlConnection", "ProcessUse", "TestSupport"],
            path: "Tests/Operations/PeerTests", swiftSettings: house),
        // The session era: its own behaviour, and what the original's tests said.
        .testTarget(
            name: "SessionEraTests",
            dependencies: [
                "SessionEra", "SessionTasks", "OperationNetworking", "CurlConnection",
                "EventRecorder", "HTTPSemantics", "TestSupport", "TLSPeer",
            ],
            path: "Tests/LaterEras/SessionEraTests", swiftSettings: house),
        // The request era: its own behaviour, what was recorded while the original ran, its tests.
        .testTarget(
            name: "RequestEraTests",
            dependencies: [
                "RequestEra", "SessionTasks", "OperationNetworking", "CurlConnection",
                "EventRecorder", "HTTPSemantics", "ParitySupport", "RecordedTraces", "Scheduling",
                "TestSupport", "TLSPeer",
            ],
            path: "Tests/LaterEras/RequestEraTests", resources: [.copy("Golden")],
            swiftSettings: house),
        // Sources written for Alamofire 4, unchanged.
        .target(
            name: "OldAlamofire", dependencies: ["Alamofire"],
            path: "Tests/Programs/OldAlamofire", swiftSettings: oldSpelling(.v5)),
        // Sources in the old spelling, unchanged, and those that Swift 6 takes as well.
        .target(
            name: "OldAFNetworking", dependencies: ["AFNetworking"],
            path: "Tests/Programs/OldAFNetworking", swiftSettings: oldSpelling(.v5)),
        .target(
            name: "OldAFNetworkingSwift6", dependencies: ["AFNetworking"],
            path: "Tests/Programs/OldAFNetworkingSwift6", swiftSettings: oldSpelling(.v6)),
        // Programs in the style of real code, the code that the pages show, and the pages themselves.
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "AFNetworking", "Alamofire", "CurlConnection", "DrawnPictures", "DurableQueue",
                "EventRecorder",
                "HTTPSemantics",
                "LoopbackServer", "NetworkImages", "OldAFNetworking", "OldAlamofire",
                "OperationNetworking", "ProcessUse", "ProxyPeer", "RequestEra", "SessionEra",
                "SessionTasks", "TLSPeer", "TestSupport", "TimelinePage",
            ],
            path: "Tests/Programs/ProgramTests", swiftSettings: house),
        .testTarget(
            name: "ErasTests",
            dependencies: [
                "CurlConnection", "DrawnPictures", "EraLessons", "EventRecorder", "HTTPSemantics",
                "Lessons", "LoopbackServer", "NetworkImages", "OperationNetworking",
                "RecordedTraces", "TestSupport", "TimelinePage", "eras",
            ],
            path: "Tests/Program/ErasTests", swiftSettings: house),
        // The small port, its experiments, the exercises and the texts of the lessons.
        .testTarget(
            name: "SmallPortTests",
            dependencies: [
                "CurlConnection", "EraLessons", "EventRecorder", "Lessons", "OperationNetworking",
                "SmallPort1Thread", "SmallPort2Loop", "SmallPort3HandOver", "SmallPort4Operation",
                "SmallPort5States", "SmallPort6Lock", "SmallPort7Cancel", "SmallPort8Completion",
                "TestSupport",
            ],
            path: "Tests/Teaching/SmallPortTests", swiftSettings: house),
        // The page of a recording, looked at by a real browser.
        .testTarget(
            name: "TimelinePageTests", dependencies: ["EventRecorder", "TimelinePage"],
            path: "Tests/Observing/TimelinePageTests", swiftSettings: house),
    ],
    cxxLanguageStandard: .cxx17
)

// Each exercise twice, as a reader finds it and solved, so that tests can judge both.
let exercises = [
    "01-in-turn", "02-thread-each", "03-no-port", "04-no-wake-up", "05-default-mode",
    "06-no-announcement", "07-plain-lock", "08-cancel-here", "09-short-write",
    "10-completion-here", "11-any-pin", "12-no-dependencies", "13-width-8", "14-one-buffer",
    "15-late-handler", "16-two-downloads", "17-blocking-task", "18-traces", "19-small-port",
]
for name in exercises {
    for (kind, folder) in [("Exercise", "Sources"), ("Solution", "Solution")] {
        let target = kind + name.prefix(2)
        package.targets.append(
            .target(
                name: target, dependencies: ["Lessons", "SmallPort8Completion"],
                path: "Exercises/\(name)/\(folder)",
                exclude: kind == "Exercise" ? ["main.swift"] : [], swiftSettings: house))
        package.targets.first { $0.name == "SmallPortTests" }?.dependencies
            .append(.target(name: target))
    }
}

// `make sanitize` names the tests that it needs, so that little else is built: the snippets are built
// always, and import OperationNetworking and LoopbackServer.
if let only = Context.environment["ONLY_TESTS"]?.split(separator: ",").map(String.init) {
    var wanted = Set(only + ["OperationNetworking", "LoopbackServer"])
    var isGrowing = true
    while isGrowing {
        let size = wanted.count
        for target in package.targets where wanted.contains(target.name) {
            for case .targetItem(let name, _) in target.dependencies { wanted.insert(name) }
            for case .byNameItem(let name, _) in target.dependencies { wanted.insert(name) }
        }
        isGrowing = wanted.count > size
    }
    package.targets = package.targets.filter { wanted.contains($0.name) }
    let isLeft = { (product: Product) in
        (product as? Product.Library)?.targets.allSatisfy(wanted.contains) ?? false
    }
    package.products = package.products.filter(isLeft)
}
