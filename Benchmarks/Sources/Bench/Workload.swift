/// Who is measured.
enum RivalName: String, CaseIterable, Codable {
    case loop = "c-loop"
    case manager
    case managerMain = "manager-main"
    case managerRecording = "manager-recording"
    case managerPlainRecording = "manager-as-it-comes-recording"
    case managerPlain = "manager-as-it-comes"
    case managerDownload = "manager-download"
    case operation
    case operationCompletion = "operation-completion"
    case sessionEra = "session-era"
    case requestEra = "request-era"
    case urlSession = "urlsession"
    case urlSessionPlain = "urlsession-as-it-comes"
    case imageDownloader = "image-downloader"
    case imageDecoding = "image-decoding"
    case imageCache = "image-cache"
    /// A program that has used a concurrent dispatch queue, and nothing else.
    case dispatch
    case curl
    case eras = "eras-fetch"
    case aiohttp
    /// With Python's own parser for JSON, and with orjson.
    case aiohttpJSON = "aiohttp-json"
    case aiohttpOrjson = "aiohttp-orjson"
    case httpx

    /// What stands in tables.
    var title: String {
        switch self {
        case .loop: "C loop on libcurl and epoll"
        case .manager: "HTTPRequestOperationManager, private queue"
        case .managerMain: "HTTPRequestOperationManager, main queue"
        case .managerRecording: "HTTPRequestOperationManager, recorder on"
        case .managerPlainRecording: "HTTPRequestOperationManager as it comes, recorder on"
        case .managerPlain: "HTTPRequestOperationManager as it comes"
        case .managerDownload: "HTTPRequestOperationManager.download"
        case .operation: "URLConnectionOperation in a queue, nobody told"
        case .operationCompletion: "URLConnectionOperation with completion block"
        case .sessionEra: "HTTPSessionManager of SessionEra, on URLConnection"
        case .requestEra: "SessionManager of RequestEra, on URLConnection"
        case .urlSession: "URLSession"
        case .urlSessionPlain: "URLSession as it comes"
        case .imageDownloader: "ImageDownloader on HTTPRequestOperationManager"
        case .imageDecoding: "ImageDecoder alone, no transfer"
        case .imageCache: "AutoPurgingImageCache alone"
        case .dispatch: "Dispatch alone"
        case .curl: "curl command"
        case .eras: "eras fetch"
        case .aiohttp: "aiohttp"
        case .aiohttpJSON: "aiohttp, parsed by json"
        case .aiohttpOrjson: "aiohttp, parsed by orjson"
        case .httpx: "httpx"
        }
    }

    static let laterEras: [RivalName] = [.sessionEra, .requestEra]
    static let ours: [RivalName] = [.manager, .managerMain, .operation, .operationCompletion]
    static let inPython: Set<RivalName> = [.aiohttp, .aiohttpJSON, .aiohttpOrjson, .httpx]
}

/// A number of a measurement that rivals are compared by.
enum Metric: String, Codable {
    case requestsPerSecond = "requests per second"
    case medianLatency = "median latency"
    case latency99 = "99th percentile of latency"
    /// Wall clock for the whole, or for one request of it.
    case seconds = "time"
    case secondsARequest = "time a request"
    case coldStart = "process start to first answer"
    case cpuSeconds = "CPU seconds"
    case cpuARequest = "CPU time a request"
    case peakMiB = "peak MiB"
    case bytesWaiting = "bytes a waiting request"
    case sleeps = "wake-ups"
    case socketsLeft = "sockets left"
    /// Of a request's CPU time, what the recorder costs while it is off.
    case shareWhenOff = "share of a recorder that is off"
    /// Seconds between what a request's metrics say and what curl's `--write-out` says, at the worst of
    /// five times: name looked up, connected, TLS done, first byte, last byte.
    case timesApart = "seconds from curl's times"
    /// Seconds from a task's cancel until its peer sees the end of the connection.
    case closed99 = "99th percentile of cancel to close"
    case closedWorst = "worst of cancel to close"
    /// Counted by a server, of one call.
    case requestsSeen = "requests that the server saw"
    case bodyBytesSeen = "body bytes that the server saw"
    /// 1 where the result is Foundation's.
    case isEqual = "results equal"
    /// Blocks of memory, by who asks for them.
    case allocations = "allocations a request"
    case allocationsOfLibcurl = "libcurl's allocations a request"
    case allocationsOfFoundation = "Foundation's allocations a request"
    case allocationsOfTheProgram = "our own allocations a request"
}

/// What the number is divided by.
enum Reference: Hashable, Codable {
    /// Another rival in the same round of the same workload.
    case rival(RivalName)
    /// The same rival in the same round of another workload.
    case workload(String)
    case nothing

    static let loop = Reference.rival(.loop)
}

/// What a ratio, or a number, has to be.
struct Target: Codable {
    enum Direction: String, Codable {
        case atLeast = "at least"
        case atMost = "at most"
    }

    var workload: String
    var rival: RivalName
    var metric: Metric
    var reference: Reference
    var direction: Direction
    var value: Double

    func isMet(by number: Double) -> Bool {
        direction == .atLeast ? number >= value : number <= value
    }

    /// "within 1.5", "over 1.5"; "under 0.95" for one that is too small.
    func judgement(of number: Double) -> String {
        let missed = direction == .atLeast ? "under" : "over"
        return "\(isMet(by: number) ? "within" : missed) \(value.short)"
    }
}

/// One thing to do, by several rivals, round by round.
struct Workload {
    var name: String
    var title: String
    var kind: String
    var rivals: [RivalName]
    /// What its ratio is of.
    var metric = Metric.requestsPerSecond
    /// What has rows of its own, without a target.
    var alsoShows: [Metric] = []
    /// The server's port and path that requests go to.
    var server = Server.plain
    var path = "/1k.bin"
    var atOnce = 1
    var count = 1
    var seconds = 0.3
    /// Words for some kinds only.
    var words: [String] = []
    var file = File.none
    /// Rounds for each asked for; more where a run is short and the spread large.
    var repeats = 1
    /// Those that are so slow that two rounds must do.
    var slow: Set<RivalName> = []
    /// Each rival runs at the same time as the C loop, on one core, so that both meet the same machine.
    var isBesideLoop = false
    /// All rivals at once, on one core but for those that do not wait quietly.
    var isTogether = false
    /// Where each rival runs that does not run beside the loop.
    var place = Cores.Place.clientsCore
    /// Each round runs a fresh copy of the client: where a program lies in memory changes what it takes
    /// by one in a hundred.
    var isCopied = false
    /// Whether blocks of memory are counted, which takes time.
    var countsAllocations: Bool { metric == .allocations }
    /// Where that is not what was asked for.
    var rounds: Int?
    /// Its rounds come right after those of the workload before, which it is compared with.
    var takesTurnsWithTheOneBefore = false

    enum Server { case plain, tls, http2, peer }
    enum File { case none, large, received }
}
