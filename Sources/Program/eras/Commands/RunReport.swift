import LoopbackServer

/// The report of `eras run`.
struct RunReport {
    struct File {
        var name: String
        var result: FetchResult
        var expectedHash: String

        var isGood: Bool { result.error == nil && result.sha256 == expectedHash }
    }

    var files: [File]
    var statistics: Statistics
    var limit: Int

    /// Whether every hash is right, and the limit was not exceeded.
    var isGood: Bool {
        files.allSatisfy(\.isGood) && statistics.peakInFlight <= limit && threads.count == 1
    }

    private var threads: Set<DeliveryThread> {
        files.reduce(into: []) { $0.formUnion($1.result.threads) }
    }

    var text: String {
        let table = TextTable(
            headings: [
                "file", "bytes", "waited in queue, ms", "on the wire, ms", "thread", "hash",
            ],
            rightAligned: [1, 2, 3],
            rows: files.map { file in
                [
                    file.name, file.result.bytes.map(String.init) ?? "-",
                    Self.whole(file.result.queuedMilliseconds),
                    Self.whole(file.result.wireMilliseconds), file.result.thread ?? "-",
                    file.isGood ? "ok" : file.result.error ?? "DIFFERS",
                ]
            })
        return "\n" + table.text + "\n" + seen + "\n"
    }

    /// The server's counters and the callbacks' threads, in one line.
    private var seen: String {
        let names = Set(threads.map(\.name)).sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        let place =
            threads.count == 1
            ? "all callbacks came on the one thread \(names)"
            : "callbacks came on \(threads.count) threads: \(names)"
        return "At most \(statistics.peakInFlight) requests at once (limit \(limit)), "
            + "\(statistics.requests) requests over "
            + "\(Quantity.count(statistics.connectionsAccepted, "connection")), \(place)."
    }

    private static func whole(_ milliseconds: Double?) -> String {
        milliseconds.map { String(Int($0.rounded())) } ?? "-"
    }
}
