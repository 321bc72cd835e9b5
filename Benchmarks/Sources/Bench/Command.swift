import Foundation

/// The program that stands for a rival in a workload, and how to read what it printed.
struct Command {
    var words: [String]
    var environment: [String: String] = [:]
    /// Requests of a program that prints nothing itself.
    private var countedRequests: Int?

    init(
        _ rival: RivalName, _ workload: Workload, servers: Servers, programs: URL, python: Python
    ) {
        let url = servers.url(of: workload)
        if workload.server == .tls || workload.server == .http2 {
            environment["SSL_CERT_FILE"] = servers.authorities
        }
        if workload.countsAllocations {
            environment["LD_PRELOAD"] = programs.appending(path: "libbench-allocations.so").path
        }
        var task = [
            workload.kind, "url=\(url)", "at-once=\(workload.atOnce)", "count=\(workload.count)",
            "seconds=\(workload.seconds)", "warm-up=\(min(0.1, workload.seconds))",
            "peer=\(servers.peerPort)",
        ]
        switch workload.file {
        case .none: break
        case .large: task.append("path=\(servers.largeFile)")
        case .received: task.append("path=\(servers.received)")
        }
        task += workload.words
        let client = programs.appending(path: "bench-client").path
        switch rival {
        case .loop:
            words = [programs.appending(path: "bench-loop").path] + task
        case .managerPlain:
            words = [client, RivalName.manager.rawValue] + task + ["plain=1"]
        case .managerPlainRecording:
            words = [client, RivalName.managerRecording.rawValue] + task + ["plain=1"]
        case .urlSessionPlain:
            words = [client, RivalName.urlSession.rawValue] + task + ["plain=1"]
        case .aiohttp, .aiohttpJSON, .aiohttpOrjson, .httpx:
            if rival == .aiohttpJSON { task.append("parser=json") }
            if rival == .aiohttpOrjson { task.append("parser=orjson") }
            words = [python.interpreter, python.script(rival)] + task
        case .curl:
            let count = workload.words.contains("closes=1") ? 50 : 4000
            countedRequests = count
            words = [
                "curl", "--no-progress-meter", "--fail", "--parallel", "--parallel-immediate",
                "--parallel-max", "\(workload.atOnce)", "-o", "/dev/null",
            ]
            if workload.words.contains("closes=1") { words += ["-H", "Connection: close"] }
            if workload.server == .tls { words += ["--cacert", servers.authorities] }
            words.append("\(url)?[1-\(count)]")
        case .manager, .managerMain, .managerRecording, .operation, .operationCompletion,
            .sessionEra, .sessionFoundation, .requestEra, .urlSession, .dispatch,
            .imageDownloader, .imageDecoding, .imageCache:
            words = [client, rival.rawValue] + task
        }
    }

    /// As a shell takes it.
    var line: String {
        (environment.sorted { $0.key < $1.key }.map { "\($0)=\($1)" } + words.map { "'\($0)'" })
            .joined(separator: " ")
    }

    /// - Throws: what to tell where the program failed.
    func measurement(from end: Child.End, begin: UInt64) throws(BenchError) -> Measurement {
        guard end.status == 0 else {
            let (code, signal) = (end.status >> 8, end.status & 127)
            throw BenchError("ended with \(code), signal \(signal); it was:\n  \(line)")
        }
        if let countedRequests {
            // The whole process, start included.
            return Measurement(
                requests: countedRequests, failures: 0,
                seconds: Double(end.moment - begin) / 1e9, cpu: end.cpuSeconds, bytes: 0,
                peakMiB: end.peakMiB)
        }
        guard var measurement = try? JSONDecoder().decode(Measurement.self, from: end.output) else {
            let printed = String(decoding: end.output, as: UTF8.self)
            throw BenchError("printed no measurement: \(printed)")
        }
        if let firstAnswer = measurement.firstAnswer {
            measurement.coldStart = Double(firstAnswer - begin) / 1e9
        }
        return measurement
    }
}

extension Servers {
    func url(of workload: Workload) -> String {
        switch workload.server {
        case .plain: "http://127.0.0.1:\(plainPort)\(workload.path)"
        case .tls: "https://127.0.0.1:\(tlsPort)\(workload.path)"
        case .http2: "https://127.0.0.1:\(http2Port)\(workload.path)"
        case .peer: "http://127.0.0.1:\(peerPort)\(workload.path)"
        }
    }
}
