// The workloads and targets of the project, one line each where that is possible.

extension Workload {
    static let all: [Workload] =
        small + large + files + digest + queued + images + secure + times + still

    private static let small: [Workload] = [
        Workload(
            name: "get-1k-1", title: "1 KB GET, one at a time", kind: "get",
            rivals: [.loop] + RivalName.ours + RivalName.laterEras
                + [.urlSession, .aiohttp, .httpx]),
        Workload(
            name: "get-1k-8", title: "1 KB GET, 8 at once", kind: "get",
            rivals: [.loop] + RivalName.ours + [.urlSession], atOnce: 8, seconds: 0.5
        ).besideLoop,
        Workload(
            name: "get-1k-64", title: "1 KB GET, 64 at once", kind: "get",
            rivals: [.loop] + RivalName.ours + RivalName.laterEras
                + [.connection, .managerPlain, .urlSession, .urlSessionPlain]
                + [.curl, .aiohttp, .httpx],
            atOnce: 64, seconds: 1
        ).besideLoop,
        Workload(
            name: "get-1k-512", title: "1 KB GET, 512 at once", kind: "get",
            rivals: [.loop] + RivalName.ours + [.urlSession], atOnce: 512, seconds: 1
        ).besideLoop,
        Workload(
            name: "get-100k", title: "100 KB GET, 16 at once", kind: "get",
            rivals: [.loop, .manager, .operation, .urlSession], path: "/100k.bin", atOnce: 16,
            seconds: 0.5
        ).besideLoop,
        Workload(
            name: "json-100k", title: "100 KB JSON, got and parsed, 16 at once", kind: "get",
            rivals: [.loop, .manager, .sessionEra, .urlSession, .aiohttpJSON, .aiohttpOrjson],
            path: "/100k.json", atOnce: 16, seconds: 0.5, words: ["json=1"]
        ).besideLoop,
        Workload(
            name: "allocations", title: "Blocks of memory for 1 KB GET, 64 at once", kind: "get",
            rivals: [.loop, .manager, .operation, .managerPlain], metric: .allocations,
            alsoShows: [.allocationsOfLibcurl, .allocationsOfFoundation, .allocationsOfTheProgram],
            atOnce: 64, rounds: 1),
        recorder("recorder", "", [.manager, .managerRecording]),
        recorder(
            "recorder-as-it-comes", " as it comes", [.managerPlain, .managerPlainRecording]),
    ]

    /// Some 10,000 requests by each of two at once, one of which is recorded.
    private static func recorder(
        _ name: String, _ settings: String, _ rivals: [RivalName]
    ) -> Workload {
        Workload(
            name: name, title: "1 KB GET\(settings), 64 at once, event recorder off beside on",
            kind: "get", rivals: rivals, metric: .cpuARequest, atOnce: 64, seconds: 3,
            isTogether: true, isCopied: true, rounds: 64)
    }

    /// Up without URLSession: it takes 16 s of CPU time for the one body.
    private static let large: [Workload] = [
        Workload(
            name: "down-memory", title: "1 GiB down to nowhere", kind: "down",
            rivals: [.loop, .operation, .urlSession], path: "/large.bin", slow: [.urlSession]),
        Workload(
            name: "down-file", title: "1 GiB down to a file", kind: "down",
            rivals: [.loop, .operation, .urlSession], path: "/large.bin", file: .received,
            slow: [.urlSession]),
        Workload(
            name: "up", title: "1 GiB up from a stream", kind: "up",
            rivals: [.loop, .operation], server: .peer, path: "/sink", file: .large),
    ]

    /// What keeps a file whole beside what only writes it.
    private static let files: [Workload] = [
        Workload(
            name: "download", title: "1 GiB down to a file by download(_:to:)", kind: "down",
            rivals: [.loop, .operation, .managerDownload, .curl], metric: .seconds,
            alsoShows: [.seconds, .cpuSeconds], path: "/large.bin", file: .received,
            place: .allCores),
        Workload(
            name: "small-files", title: "2,000 files of 10 kB, 16 at once", kind: "files",
            rivals: [.curl, .eras], metric: .seconds, alsoShows: [.seconds, .cpuSeconds],
            path: "/small/", atOnce: 16, count: Bodies.smallCount, place: .allCores),
    ]

    /// Counts, not times.
    private static let digest: [Workload] = [
        Workload(
            name: "digest-get", title: "GET with Digest", kind: "digest", rivals: [.manager],
            metric: .requestsSeen, alsoShows: [.bodyBytesSeen], rounds: 1),
        Workload(
            name: "digest-post", title: "POST of 300 kB with Digest", kind: "digest",
            rivals: [.manager], metric: .requestsSeen, alsoShows: [.bodyBytesSeen],
            words: ["body=300000"], rounds: 1),
    ]

    private static let queued: [Workload] = [
        Workload(
            name: "enqueue-10k", title: "10,000 enqueued at once, limit 64", kind: "enqueue",
            rivals: [.loop, .manager, .operation], atOnce: 64, count: 10_000),
        Workload(
            name: "enqueue-100k", title: "100,000 enqueued at once, limit 64", kind: "enqueue",
            rivals: [.loop, .manager, .operation], atOnce: 64, count: 100_000,
            slow: [.manager, .operation], takesTurnsWithTheOneBefore: true),
        Workload(
            name: "cancel", title: "1,000 unanswered requests cancelled", kind: "cancel",
            rivals: [.loop, .manager, .operation, .urlSession], metric: .seconds, server: .peer,
            path: "/never", atOnce: 1000, count: 1000, slow: [.urlSession]),
        Workload(
            name: "close", title: "1,000 waiting tasks, cancelled one by one: the socket's close",
            kind: "close", rivals: [.operation], metric: .closed99, count: 1000),
    ]

    /// Pictures are PNG with some noise. Of the cache no limit is known, so its number stands alone.
    private static let images: [Workload] = [
        Workload(
            name: "images-100k", title: "1,000 pictures of 100 KB, 16 at once", kind: "enqueue",
            rivals: [.loop, .imageDecoding, .imageDownloader], path: "/100k.png", atOnce: 16,
            count: 1_000),
        Workload(
            name: "images-memory", title: "Pictures that are in memory, one at a time", kind: "get",
            rivals: [.imageCache, .imageDownloader], path: "/100k.png"),
    ]

    /// Without URLSession: on Linux it trusts the system's own authorities and no other.
    private static let secure: [Workload] = [
        Workload(
            name: "tls-new", title: "1 KB GET, TLS, a new connection each, 8 at once", kind: "get",
            rivals: [.loop, .manager, .operation, .curl], server: .tls, atOnce: 8, seconds: 0.5,
            words: ["closes=1"]
        ).besideLoop,
        Workload(
            name: "tls-kept", title: "1 KB GET, TLS, kept connections, 64 at once", kind: "get",
            rivals: [.loop, .manager, .operation], server: .tls, atOnce: 64, seconds: 0.5
        ).besideLoop,
        Workload(
            name: "http2", title: "1 KB GET, HTTP/2, 100 at once", kind: "get",
            rivals: [.loop, .manager, .operation], server: .http2, atOnce: 100, seconds: 0.5,
            words: ["http2=1"]
        ).besideLoop,
    ]

    /// Whether the times of requests are right: beside `curl --write-out` on the same server.
    private static let times: [Workload] = [
        Workload(
            name: "times", title: "Times beside curl's, a new connection each", kind: "times",
            rivals: [.operation], metric: .timesApart, count: 25),
        Workload(
            name: "times-tls", title: "Times beside curl's, TLS, a new connection each",
            kind: "times", rivals: [.operation], metric: .timesApart, server: .tls, count: 25),
        Workload(
            name: "times-late", title: "Times beside curl's, an answer after 1 s", kind: "times",
            rivals: [.operation], metric: .timesApart, server: .peer, path: "/after/1", count: 5,
            rounds: 1),
    ]

    private static let still: [Workload] = [
        Workload(
            name: "cold", title: "Process start to first answer", kind: "cold",
            rivals: [.loop, .manager, .operation, .urlSession], metric: .coldStart, repeats: 3),
        Workload(
            name: "answer-5s", title: "One answer after 5 s", kind: "wait",
            rivals: [.loop, .manager, .operation, .sessionEra, .requestEra, .urlSession],
            metric: .cpuSeconds, server: .peer, path: "/after/5", isTogether: true, rounds: 1),
        Workload(
            name: "idle-10s", title: "Idle for 10 s", kind: "idle",
            rivals: [.loop, .manager, .operation, .urlSession, .dispatch], metric: .cpuSeconds,
            atOnce: 8, seconds: 10, isTogether: true, rounds: 1),
    ]

    /// Judged by CPU time, each rival at the same time as the C loop on one core.
    private var besideLoop: Workload {
        var workload = self
        workload.isBesideLoop = true
        workload.metric = .cpuARequest
        return workload
    }

    /// The same with sizes that show only whether everything works.
    var quick: Workload {
        var quick = self
        quick.seconds = min(seconds, 0.05)
        if kind != "files" { quick.count = min(count, kind == "times" ? 3 : 500) }
        if kind == "wait" { quick.path = "/after/1" }
        if kind == "idle" { quick.seconds = 1 }
        return quick
    }
}

extension Target {
    static let all: [Target] = [
        Target("get-1k-64", .manager, .cpuARequest, atMost: 2.7),
        Target("get-1k-64", .manager, .cpuARequest, of: .rival(.urlSession), atMost: 0.125),
        Target("get-1k-64", .managerPlain, .cpuARequest, atMost: 3.6),
        Target("get-1k-64", .operation, .cpuARequest, atMost: 2.3),
        // What a client takes that has no operations either.
        Target("get-1k-64", .connection, .cpuARequest, atMost: 2.0),
        Target("get-1k-64", .sessionEra, .cpuARequest, atMost: 3.5),
        Target("get-1k-64", .requestEra, .cpuARequest, atMost: 3.4),
        Target("get-1k-64", .sessionEra, .cpuARequest, of: .rival(.urlSession), atMost: 0.333),
        Target("get-1k-64", .requestEra, .cpuARequest, of: .rival(.urlSession), atMost: 0.333),
        // One request at a time waits most of the time, and nobody judges it by CPU time.
        Target("get-1k-1", .manager, .medianLatency, atMost: 2.0),
        Target("get-1k-512", .manager, .cpuARequest, atMost: 2.2),
        Target("get-1k-512", .manager, .latency99, atMost: 2),
        Target("get-1k-512", .operation, .cpuARequest, atMost: 1.9),
        Target("down-memory", .operation, .requestsPerSecond, atLeast: 0.95),
        Target("down-memory", .operation, .peakMiB, of: .nothing, atMost: 40),
        Target("down-file", .operation, .requestsPerSecond, atLeast: 0.95),
        Target("down-file", .operation, .peakMiB, of: .nothing, atMost: 40),
        Target("up", .operation, .requestsPerSecond, atLeast: 0.95),
        Target("up", .operation, .peakMiB, of: .nothing, atMost: 40),
        Target("download", .managerDownload, .seconds, of: .rival(.operation), atMost: 1.5),
        Target("download", .managerDownload, .cpuSeconds, of: .rival(.operation), atMost: 1.5),
        // Decision 48.
        Target("small-files", .eras, .seconds, of: .rival(.curl), atMost: 4.8),
        Target("small-files", .eras, .cpuSeconds, of: .rival(.curl), atMost: 6.6),
        Target("digest-get", .manager, .requestsSeen, of: .nothing, atMost: 2),
        Target("digest-post", .manager, .requestsSeen, of: .nothing, atMost: 2),
        Target("tls-new", .manager, .cpuARequest, of: .rival(.curl), atMost: 0.05),
        Target("tls-kept", .manager, .cpuARequest, atMost: 2.4),
        Target(
            "enqueue-100k", .manager, .cpuARequest, of: .workload("enqueue-10k"), atMost: 1.15),
        Target(
            "enqueue-100k", .operation, .cpuARequest, of: .workload("enqueue-10k"), atMost: 1.15),
        Target("enqueue-100k", .manager, .bytesWaiting, of: .nothing, atMost: 2048),
        Target("enqueue-100k", .operation, .bytesWaiting, of: .nothing, atMost: 2048),
        Target("cancel", .manager, .seconds, atMost: 3),
        Target("cancel", .manager, .socketsLeft, of: .nothing, atMost: 0),
        Target("close", .operation, .closed99, of: .nothing, atMost: 0.05),
        Target("close", .operation, .closedWorst, of: .nothing, atMost: 0.05),
        Target("idle-10s", .manager, .cpuSeconds, of: .nothing, atMost: 0.001),
        // libdispatch looks after its threads once a second, in every program that has used them.
        Target("idle-10s", .manager, .sleeps, of: .rival(.dispatch), atMost: 1),
        Target("answer-5s", .manager, .cpuSeconds, of: .nothing, atMost: 0.05),
        Target("answer-5s", .sessionEra, .cpuSeconds, of: .nothing, atMost: 0.05),
        Target("answer-5s", .requestEra, .cpuSeconds, of: .nothing, atMost: 0.05),
        Target(
            "images-100k", .imageDownloader, .requestsPerSecond, of: .rival(.imageDecoding),
            atLeast: 0.60),
        Target("images-memory", .imageCache, .requestsPerSecond, of: .nothing, atLeast: 500_000),
        Target(
            "images-memory", .imageDownloader, .requestsPerSecond, of: .nothing, atLeast: 50_000),
        Target("json-100k", .manager, .cpuARequest, of: .rival(.urlSession), atMost: 0.333),
        Target("json-100k", .manager, .cpuARequest, of: .rival(.aiohttpOrjson), atMost: 1.6),
        Target("json-100k", .manager, .isEqual, of: .nothing, atLeast: 1),
        Target(
            "recorder", .managerRecording, .cpuARequest, of: .rival(.manager), atMost: 1.10),
        Target(
            "recorder-as-it-comes", .managerPlainRecording, .cpuARequest,
            of: .rival(.managerPlain), atMost: 1.10),
        Target("recorder", .managerRecording, .shareWhenOff, of: .nothing, atMost: 0.005),
        Target("times", .operation, .timesApart, of: .nothing, atMost: 0.002),
        Target("times-tls", .operation, .timesApart, of: .nothing, atMost: 0.002),
        Target("times-late", .operation, .timesApart, of: .nothing, atMost: 0.002),
        Target("cold", .manager, .coldStart, atMost: 3),
    ]

    private init(
        _ workload: String, _ rival: RivalName, _ metric: Metric, of reference: Reference = .loop,
        atLeast value: Double
    ) {
        self.init(
            workload: workload, rival: rival, metric: metric, reference: reference,
            direction: .atLeast, value: value)
    }

    private init(
        _ workload: String, _ rival: RivalName, _ metric: Metric, of reference: Reference = .loop,
        atMost value: Double
    ) {
        self.init(
            workload: workload, rival: rival, metric: metric, reference: reference,
            direction: .atMost, value: value)
    }
}
