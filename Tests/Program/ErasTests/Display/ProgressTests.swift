import TestSupport

@testable import eras

@Suite("Progress as text", .timeLimit(.minutes(2)))
struct ProgressTests {
    @Test(arguments: [
        (0, "0 B"), (1_023, "1023 B"), (1_024, "1.0 KiB"), (1_536, "1.5 KiB"),
        (1_048_575, "1.0 MiB"), (33_554_432, "32.0 MiB"), (.max, "8192.0 PiB"),
    ])
    func `a size has the unit that keeps it short`(bytes: Int64, text: String) {
        #expect(Quantity.size(bytes) == text)
    }

    @Test(arguments: [
        (0.0, "0:00"), (0.1, "0:01"), (59.5, "1:00"), (754, "12:34"), (3_723, "1:02:03"),
        (.infinity, "-"), (1e300, "-"),
    ])
    func `a time rounds up`(seconds: Double, text: String) {
        #expect(Quantity.time(seconds) == text)
    }

    @Test func `remaining time needs a rate and a length`() {
        #expect(Quantity.remaining(1_000, at: 100) == "0:10")
        #expect(Quantity.remaining(1_000, at: 0) == "-")
        #expect(Quantity.remaining(1_000, at: nil) == "-")
        #expect(Quantity.remaining(nil, at: 100) == "-")
        #expect(Quantity.remaining(0, at: nil) == "0:00")
    }

    @Test func `the rate is that of the last three seconds`() {
        var meter = RateMeter()
        #expect(meter.rate == nil)
        meter.add(total: 0, at: 0)
        #expect(meter.rate == nil)
        meter.add(total: 100, at: 1)
        #expect(meter.rate == 100)
        for second in 2...10 { meter.add(total: 100 + Int64(second - 1) * 10, at: Double(second)) }
        #expect(meter.rate == 10)
    }

    @Test func `the rate begins anew when a file starts over`() {
        var meter = RateMeter()
        meter.add(total: 1_000, at: 0)
        meter.add(total: 10, at: 1)
        #expect(meter.rate == nil)
        meter.add(total: 60, at: 2)
        #expect(meter.rate == 50)
    }

    @Test func `what is missing is known when every file's length is`() {
        var progress = FetchProgress(count: 3, finished: 1)
        progress.active = [FileProgress(index: 1, name: "a", stored: 10, total: 30)]
        #expect(progress.missing == nil)
        progress.active.append(FileProgress(index: 2, name: "b", stored: 5, total: nil))
        #expect(progress.missing == nil)
        progress.active[1].total = 6
        #expect(progress.missing == 21)
        // Two servers may say anything.
        progress.active[0].total = .max
        progress.active[1].total = .max
        #expect(progress.missing == nil)
    }

    @Test func `a file's line has its part, its sizes, its rate and its time`() {
        let file = FileProgress(index: 0, name: "film.mp4", stored: 1 << 20, total: 4 << 20)
        let line = ProgressText.line(file, rate: 1_048_576, columns: 70)
        #expect(line.hasPrefix("film.mp4  "))
        #expect(line.hasSuffix(" 25%      1.0 MiB of 4.0 MiB    1.0 MiB/s    0:03"))
        #expect(line.count == 70)
    }

    @Test(arguments: [20, 40, 80, 200])
    func `no line is wider than the terminal, no more lines than rows`(columns: Int) {
        var progress = FetchProgress(count: 50)
        progress.active = (0..<50).map {
            FileProgress(
                index: $0, name: String(repeating: "n", count: $0 * 5), stored: 1 << 40,
                total: $0 % 2 == 0 ? nil : 1 << 41)
        }
        let lines = ProgressText.lines(
            progress, rates: [:], rate: 1e9, columns: columns, rows: 24)
        #expect(lines.count == 23)
        #expect(lines.allSatisfy { $0.count <= columns })
    }

    @Test func `a file without bytes has no percentage`() {
        let line = ProgressText.line(
            FileProgress(index: 0, name: "a", stored: 0, total: 0), rate: nil, columns: 80)
        #expect(!line.contains("%"))
    }

    @Test func `the summary counts each file once`() {
        var kept = FetchResult(index: 0, url: "a")
        kept.kept = .kept
        var same = kept
        same.kept = .same
        var failed = FetchResult(index: 1, url: "b")
        failed.error = "No."
        var fetched = FetchResult(index: 2, url: "c")
        fetched.received = 2_048
        var interrupted = failed
        interrupted.isInterrupted = true
        #expect(
            ProgressText.summary([kept, same, failed, fetched], seconds: 2)
                == "1 file fetched, 1 kept, 1 the same, 1 failed; 2.0 KiB in 2.0 s (1.0 KiB/s).")
        #expect(
            ProgressText.summary([interrupted], seconds: 0)
                == "0 files fetched, 1 interrupted; 0 B in 0.0 s (-)."
                + " Run the same command again to continue.")
    }

    @Test func `a URL cannot move the cursor`() {
        var result = FetchResult(index: 0, url: "a\u{1B}[2Jb")
        result.error = "No."
        #expect(ProgressText.finished(result) == "failed  a?[2Jb: No.")
    }

    @Test func `letters of two columns count as two`() {
        let file = FileProgress(index: 0, name: "映画の長い名前映画の長い名前.mp4", stored: 1, total: 2)
        for columns in [40, 70, 71] {
            let line = ProgressText.line(file, rate: nil, columns: columns)
            #expect(Padding.width(of: line) <= columns, "\(line)")
        }
        #expect(Padding.width(of: "a한글é🎉e\u{301}") == 9)
        #expect(Padding.cut("映画映画", 5) == "映画…")
    }

    @Test func `lines are erased from the first column on, also behind an echoed ^C`() {
        #expect(ProgressText.erasing(lines: 3) == "\r\u{1B}[3A\u{1B}[J")
        #expect(ProgressText.erasing(lines: 0) == "")
    }

    @Test func `a retry is one line of at most 80 columns`() {
        var result = FetchResult(index: 0, url: "http://h/" + String(repeating: "x", count: 200))
        result.error = "The connection broke off; run the same command again to continue. (Why.)"
        let retry = Retry(pause: 0.25, number: 1, limit: 2)
        let line = ProgressText.retry(result, retry)
        #expect(Padding.width(of: line) <= 80)
        #expect(line.hasSuffix(": The connection broke off; in 0.2 s, 1 of 2"), "\(line)")
    }

    @Test func `a table's columns line up`() {
        let table = TextTable(
            headings: ["file", "bytes"], rightAligned: [1],
            rows: [["a", "1000000"], ["long", "1"]])
        #expect(
            table.text == "file    bytes\n----  -------\na     1000000\nlong        1\n")
    }
}
