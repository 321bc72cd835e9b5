import CurlConnection
import OperationNetworking
import ProcessUse
import TestSupport

/// T11: `SOAK_MINUTES=10 make peers` mixes nine good requests with one bad, for so long.
@Suite("Case R79: the soak", .timeLimit(.minutes(70)))
struct SoakTests {
    private static let need: Comment = "Needs SOAK_MINUTES and the ports of `make peers`."
    private static let minutes = PeerPort.url("NGINX_HTTP").flatMap { _ in
        ProcessInfo.processInfo.environment["SOAK_MINUTES"].flatMap { Double($0) }
    }

    /// One request of the mix, and what it must come to.
    private struct Kind: Sendable {
        var name: String
        var request: URLRequest
        var prepare: @Sendable (HTTPRequestOperation) -> Void = { _ in }
        var isAsExpected: @Sendable (Ending) -> Bool
    }

    private static let atOnce = 12

    @Test(
        .enabled(if: minutes != nil, need))
    func `R79, T11: good requests among bad ones succeed, in memory that does not grow`()
        async throws
    {
        let (good, bad) = try (Self.good(), Self.bad())
        let duration = Duration.seconds(60 * (Self.minutes ?? 0))
        let start = ContinuousClock.now
        let record = Record()
        let sampler = Task {
            while !Task.isCancelled {
                record.sample(at: start.duration(to: .now) / .seconds(1))
                try? await Task.sleep(for: .seconds(2))
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<Self.atOnce {
                group.addTask {
                    var number = worker * 7
                    while start.duration(to: .now) < duration {
                        // A client counts its requests, so that an old one is no leak.
                        let client = PeerClient()
                        for _ in 0..<200 {
                            number += 1
                            let kinds = number % 10 == 0 ? bad : good
                            let kind = kinds[(number / 10 + number) % kinds.count]
                            let ending = await client.run(kind.request, prepare: kind.prepare)
                            let part = start.duration(to: .now) / duration
                            record.add(
                                ending, at: part, number % 10 == 0,
                                kind.isAsExpected(ending) ? nil : kind.name)
                        }
                        record.countTwice(client.endedTwice)
                    }
                }
            }
        }
        sampler.cancel()
        try record.judge()
    }

    // MARK: The mix

    private static func url(_ variable: String, _ path: String) throws -> URL {
        try #require(PeerPort.url(variable, path), "no \(variable)")
    }

    private static func good() throws -> [Kind] {
        let fast = { (url: URL) in
            URLRequest(
                url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 20)
        }
        let hello: @Sendable (Ending) -> Bool = { $0.isSuccess && $0.text == "hello" }
        let page = fast(try url("NGINX_HTTP", "/files/hello.txt"))
        var post = fast(try url("NGINX_HTTP", "/post"))
        post.httpMethod = "POST"
        post.httpBody = Data(count: 10_000)
        var kinds = [
            Kind(name: "file", request: page, isAsExpected: hello),
            Kind(
                name: "cached", request: URLRequest(url: try url("NGINX_HTTP", "/files/hello.txt")),
                isAsExpected: hello),
            Kind(
                name: "1 MiB", request: fast(try url("NGINX_HTTP", "/files/1m.bin")),
                isAsExpected: { $0.data?.count == 1 << 20 }),
            Kind(
                name: "redirect", request: fast(try url("NGINX_HTTP", "/r302")), isAsExpected: hello
            ),
            Kind(name: "post", request: post, isAsExpected: { $0.text == "POST 10000\n" }),
            Kind(
                name: "chunks", request: fast(try url("FAULT_HTTP", "/chunk-ext")),
                isAsExpected: hello),
            Kind(
                name: "gzip", request: fast(try url("FAULT_HTTP", "/gzip-members")),
                isAsExpected: { $0.text == "hello world" }),
        ]
        let folder = try #require(ProcessInfo.processInfo.environment["CERT_DIR"])
        let authority = try Certificate(
            pem: Data(contentsOf: URL(fileURLWithPath: folder + "/ca.pem")))
        kinds.append(
            Kind(
                name: "TLS", request: fast(try secure("NGINX_TLS")),
                prepare: { operation in
                    let policy = SecurityPolicy(pinningMode: .none, pinnedCertificates: [])
                    policy.anchorCertificates = [authority]
                    operation.securityPolicy = policy
                }, isAsExpected: hello))
        let proxies = [
            ("SQUID_OPEN", Proxy.Kind.http), ("TINYPROXY_OPEN", .http), ("SOCKS_DANTE", .socks5),
        ]
        for (variable, kind) in proxies {
            let port = try #require(try url(variable, "/").port)
            let proxy = try Proxy(kind, host: "127.0.0.1", port: port)
            kinds.append(
                Kind(
                    name: variable, request: page,
                    prepare: { $0.configuration.proxy = .fixed(proxy) }, isAsExpected: hello))
        }
        return kinds
    }

    private static func secure(_ variable: String) throws -> URL {
        let port = try #require(try url(variable, "/").port)
        return try #require(URL(string: "https://localhost:\(port)/files/hello.txt"))
    }

    private static func bad() throws -> [Kind] {
        let faults: [(String, URLError.Code)] = [
            ("/truncated-json", .networkConnectionLost), ("/rst-in-body", .networkConnectionLost),
            ("/close", .networkConnectionLost), ("/garbage", .cannotParseResponse),
            ("/gzip-crc", .cannotDecodeContentData), ("/two-cl-differ", .badServerResponse),
            ("/redirect-loop", .httpTooManyRedirects), ("/hang", .timedOut),
        ]
        var kinds = try faults.map { path, code in
            Kind(
                name: path, request: URLRequest(url: try url("FAULT_HTTP", path)),
                prepare: { $0.timeoutIntervalForResource = path == "/hang" ? 1 : 20 },
                isAsExpected: { $0.urlCode == code })
        }
        kinds.append(
            Kind(
                name: "503", request: URLRequest(url: try url("FAULT_HTTP", "/status?code=503")),
                isAsExpected: { !$0.isSuccess && $0.status == 503 }))
        kinds.append(
            Kind(
                name: "expired", request: URLRequest(url: try secure("CERT_EXPIRED")),
                isAsExpected: { $0.urlCode == .userCancelledAuthentication }))
        return kinds
    }
}

/// What a soak came to.
///
/// ## Concurrency
/// Call from: any thread. Lock: the one in `state`.
private final class Record: Sendable {
    private struct State {
        var count = 0
        var unexpected: [String: Int] = [:]
        var endedTwice = 0
        /// Seconds of good requests in each sixth of the time.
        var times = [[Float]](repeating: [], count: 6)
        var samples: [(seconds: Double, mebibytes: Double)] = []
    }

    private let state = Locked(State())

    /// - Parameters:
    ///   - part: how much of the time is over, from 0 to 1.
    ///   - unexpected: the kind, when it did not end as it must.
    func add(_ ending: Ending, at part: Double, _ isBad: Bool, _ unexpected: String?) {
        state.withLock { state in
            state.count += 1
            if let unexpected {
                state.unexpected["\(unexpected) \(ending.error?.code ?? 0)", default: 0] += 1
            }
            let times = state.times[min(5, Int(part * 6))]
            // A sample that does not grow for ever.
            if !isBad, times.count < 20_000 {
                state.times[min(5, Int(part * 6))].append(Float(ending.seconds))
            }
        }
    }

    func countTwice(_ count: Int) {
        state.withLock { $0.endedTwice += count }
    }

    func sample(at seconds: Double) {
        let status = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = status?.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        let mebibytes = pages * Double(sysconf(Int32(_SC_PAGESIZE))) / Double(1 << 20)
        state.withLock { $0.samples.append((seconds, mebibytes)) }
    }

    func judge() throws {
        let state = state.withLock { $0 }
        // The first third warms up.
        let end = state.samples.last?.seconds ?? 0
        let late = state.samples.filter { $0.seconds > end / 3 }
        let slope = Self.slope(late) * 600
        let p99 = state.times.map { times in
            times.sorted().dropLast(times.count / 100).last ?? 0
        }
        let first = late.first?.mebibytes ?? 0
        let last = late.last?.mebibytes ?? 0
        print(
            """
            R79, T11: \(state.count) requests in \(Int(end)) s, unexpected \(state.unexpected), \
            memory \(first) to \(last) MiB, \(slope) MiB in ten minutes, p99 by sixths \(p99) s
            """)
        #expect(state.count > 100)
        #expect(state.unexpected.isEmpty)
        #expect(state.endedTwice == 0)
        guard PeakMemory.isMeaningful else { return }
        // A short soak shows a leak only when it is large.
        #expect(last - first < 16)
        if end >= 590 { #expect(slope < 1) }
    }

    /// The slope of the line that fits best.
    private static func slope(_ samples: [(seconds: Double, mebibytes: Double)]) -> Double {
        let count = Double(samples.count)
        let (x, y) = samples.reduce((0.0, 0.0)) {
            ($0.0 + $1.seconds / count, $0.1 + $1.mebibytes / count)
        }
        let (top, bottom) = samples.reduce((0.0, 0.0)) {
            let away = $1.seconds - x
            return ($0.0 + away * ($1.mebibytes - y), $0.1 + away * away)
        }
        return bottom > 0 ? top / bottom : 0
    }
}
