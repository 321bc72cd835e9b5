import CurlConnection
import Foundation
import FoundationNetworking
import OperationNetworking

/// The times that an operation's metrics tell, beside those of `curl --write-out` on the same server.
enum TimesBesideCurl {
    /// Seconds from the start of an exchange; in curl's words.
    private static let words = [
        "time_namelookup", "time_connect", "time_appconnect", "time_starttransfer", "time_total",
    ]

    static func run(_ assignment: Assignment, into outcome: inout Outcome) {
        var assignment = assignment
        assignment.closes = true
        let watch = Stopwatch()
        var (own, other): ([[Double]], [[Double]]) = ([], [])
        for _ in 0..<assignment.count {
            guard let mine = measured(assignment), let curls = curl(assignment.url) else {
                outcome.failures += 1
                continue
            }
            own.append(mine)
            other.append(curls)
        }
        watch.stop(into: &outcome)
        outcome.requests = assignment.count
        guard !own.isEmpty else { return }
        outcome.timesApart =
            words.indices.map { abs(median(own, $0) - median(other, $0)) }.max()
    }

    /// The machine's other work falls on one request or the other; the middle one had the least of it.
    private static func median(_ times: [[Double]], _ index: Int) -> Double {
        times.map { $0[index] }.sorted()[times.count / 2]
    }

    private static func measured(_ assignment: Assignment) -> [Double]? {
        let operation = OperationRival(assignment).make()
        let told = Awaited<RequestMetrics>()
        operation.completionQueue = queue
        operation.setMetricsBlock { told.give($0) }
        operation.start()
        guard let exchange = told.wait()?.transactionMetrics.last,
            let start = exchange.fetchStartDate, operation.error == nil
        else { return nil }
        let connected = exchange.secureConnectionStartDate ?? exchange.connectEndDate
        return [
            exchange.domainLookupEndDate ?? start, connected ?? start,
            exchange.secureConnectionEndDate ?? start, exchange.responseStartDate ?? start,
            exchange.responseEndDate ?? start,
        ].map { $0.timeIntervalSince(start) }
    }

    private static let queue = DispatchQueue(label: "metrics")

    private static func curl(_ url: URL) -> [Double]? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let format = words.map { "%{\($0)}" }.joined(separator: " ")
        var arguments = ["curl", "--silent", "--fail", "--http1.1", "-o", "/dev/null"]
        if let authorities = ProcessInfo.processInfo.environment["SSL_CERT_FILE"] {
            // The server's own certificate alone, which lies beside: curl would read all of the system's
            // authorities inside its handshake, 20 ms of it.
            let own = URL(fileURLWithPath: authorities).deletingLastPathComponent()
                .appendingPathComponent("certificate.pem")
            arguments += ["--cacert", own.path]
        }
        process.arguments = arguments + ["--write-out", format, url.absoluteString]
        let pipe = Pipe()
        process.standardOutput = pipe
        guard (try? process.run()) != nil else { return nil }
        let text = String(
            decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let times = text.split(separator: " ").compactMap { Double($0) }
        return times.count == words.count ? times : nil
    }
}
