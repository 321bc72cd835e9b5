import TestSupport

@testable import eras

@Suite("The report of the main job", .timeLimit(.minutes(2)))
struct RunReportTests {
    private func report(hash: String = "aa", limit: Int = 0, threads: Int = 1) -> RunReport {
        var result = FetchResult(index: 0, url: "u")
        result.sha256 = "aa"
        result.bytes = 10
        let keys = [Thread(), Thread()].prefix(threads)
        result.threads = Set(
            keys.map { DeliveryThread(name: "AFNetworking", identity: ObjectIdentifier($0)) })
        return RunReport(
            files: [.init(name: "a", result: result, expectedHash: hash)],
            statistics: Statistics(), limit: limit)
    }

    @Test func `right hashes, the limit and one thread make it good`() {
        #expect(report().isGood)
        #expect(report().text.contains("ok"))
        #expect(report().text.contains("all callbacks came on the one thread \"AFNetworking\"."))
    }

    @Test func `a hash that differs, a peak above the limit or a second thread do not`() {
        #expect(!report(hash: "bb").isGood)
        #expect(report(hash: "bb").text.contains("DIFFERS"))
        #expect(!report(limit: -1).isGood)
        #expect(!report(threads: 2).isGood)
        #expect(report(threads: 2).text.contains("callbacks came on 2 threads"))
    }
}
