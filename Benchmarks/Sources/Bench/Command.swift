import Foundation

/// The program that stands for a rival in a workload, and how to read what it printed.
struct Command {
    var words: [String]
    var environment: [String: String] = [:]
    /// What a program has to bring that prints no measurement itself.
    private var brought: Brought?

    private struct Brought {
        var requests: Int
        /// Where its files go, made anew for it, and how long each is; nil where they go nowhere.
        var folder: String?
        var length = 0

        /// How many files are there in full length, or all where they went nowhere; the folder is
        /// removed, so that nobody else is measured with less memory.
        func takeWhole() -> Int {
            guard let folder else { return requests }
            let files = FileManager.default
            defer { try? files.removeItem(atPath: folder) }
            let names = (try? files.contentsOfDirectory(atPath: folder)) ?? []
            return names.count { name in
                let status = try? files.attributesOfItem(atPath: "\(folder)/\(name)")
                return status?[.size] as? Int == length
            }
        }
    }

    /// The release program of the package that is measured.
    static let eras = ProcessInfo.processInfo.environment["ERAS"] ?? ".build/release/eras"

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
            words = ["curl", "--no-progress-meter", "--fail", "--create-dirs"]
            switch workload.kind {
            case "down":
                brought = Brought(
                    requests: 1, folder: servers.receivedFiles, length: servers.largeLength)
                words += ["-o", "\(servers.receivedFiles)/large.bin", url]
            case "files":
                brought = Self.smallFiles(workload, servers)
                words += [
                    "--parallel", "--parallel-max", "\(workload.atOnce)",
                    "-o", "\(servers.receivedFiles)/#1.bin", "\(url)[1-\(workload.count)].bin",
                ]
            default:
                let count = workload.words.contains("closes=1") ? 50 : 4000
                brought = Brought(requests: count)
                words += [
                    "--parallel", "--parallel-immediate", "--parallel-max", "\(workload.atOnce)",
                    "-o", "/dev/null",
                ]
                if workload.words.contains("closes=1") { words += ["-H", "Connection: close"] }
                if workload.server == .tls { words += ["--cacert", servers.authorities] }
                words.append("\(url)?[1-\(count)]")
            }
        case .eras:
            brought = Self.smallFiles(workload, servers)
            words = [
                Self.eras, "fetch", "-q", "-j", "\(workload.atOnce)", "-i", servers.smallList,
                "-o", servers.receivedFiles,
            ]
        case .manager, .managerMain, .managerRecording, .managerDownload, .operation,
            .operationCompletion,
            .sessionEra, .requestEra, .urlSession, .dispatch,
            .imageDownloader, .imageDecoding, .imageCache:
            words = [client, rival.rawValue] + task
        }
    }

    private static func smallFiles(_ workload: Workload, _ servers: Servers) -> Brought {
        Brought(
            requests: workload.count, folder: servers.receivedFiles, length: Bodies.smallLength)
    }

    /// Makes the folder for files, without those of the last run.
    func prepare() throws(BenchError) {
        guard let folder = brought?.folder else { return }
        try? FileManager.default.removeItem(atPath: folder)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw BenchError("cannot make the folder \(folder)")
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
        if let brought {
            // The whole process, start included.
            let whole = brought.takeWhole()
            return Measurement(
                requests: brought.requests, failures: brought.requests - whole,
                seconds: Double(end.moment - begin) / 1e9, cpu: end.cpuSeconds,
                bytes: whole * brought.length, peakMiB: end.peakMiB)
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
