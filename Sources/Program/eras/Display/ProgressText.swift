import Foundation

/// The lines of progress that are redrawn, and the permanent lines.
enum ProgressText {
    /// One line for each running download, as far as there are rows, and one for all.
    static func lines(
        _ progress: FetchProgress, rates: [Int: Double], rate: Double?, columns: Int, rows: Int
    ) -> [String] {
        let shown = progress.active.prefix(max(0, rows - 2))
        return shown.map { line($0, rate: rates[$0.index], columns: columns) }
            + [Padding.cut(total(progress, rate: rate), columns)]
    }

    /// `name              45%   14.4 MiB of 32.0 MiB   4.1 MiB/s   0:05`
    static func line(_ file: FileProgress, rate: Double?, columns: Int) -> String {
        let missing = file.total.map { max(0, $0 - file.stored) }
        let size =
            Quantity.size(file.stored) + (file.total.map { " of " + Quantity.size($0) } ?? "")
        let figures =
            Padding.right(percent(file), 4) + Padding.right(size, 24)
            + Padding.right(Quantity.rate(rate), 13)
            + Padding.right(Quantity.remaining(missing, at: rate), 8)
        let width = max(8, columns - figures.count - 1)
        let name = PrintableText.line(file.name)
        return Padding.cut(Padding.left(name, width) + " " + figures, columns)
    }

    static func total(_ progress: FetchProgress, rate: Double?) -> String {
        let failed = progress.failed > 0 ? ", \(progress.failed) failed" : ""
        let missing = progress.missing.map {
            ", \(Quantity.remaining($0, at: rate)) left"
        }
        return "\(progress.finished) of \(Quantity.count(progress.count, "file")) done\(failed), "
            + "\(Quantity.size(progress.received)), \(Quantity.rate(rate))" + (missing ?? "")
    }

    /// The permanent line of a finished file.
    static func finished(_ result: FetchResult) -> String {
        PrintableText.line(sentence(of: result))
    }

    private static func sentence(of result: FetchResult) -> String {
        let address = ShownURL.text(result.url)
        if let error = result.error { return "failed  \(address): \(error)" }
        let name = result.path ?? address
        let size = Quantity.size(result.bytes ?? 0)
        switch result.kept {
        case .kept: return "kept    \(name)  \(size), was fetched earlier"
        case .same: return "same    \(name)  \(size), the server has the same"
        case .skipped: return "skipped \(name)  \(size), is there"
        case nil: break
        }
        let seconds = (result.wireMilliseconds ?? 0) / 1_000
        let from = result.resumedFrom.flatMap { $0 > 0 ? ", from \(Quantity.size($0)) on" : nil }
        return "fetched \(name)  \(size) in \(String(format: "%.1f", seconds)) s" + (from ?? "")
    }

    /// The permanent line of a failed try before a retry; it fits into 80 columns.
    static func retry(_ result: FetchResult, _ retry: Retry) -> String {
        let name = (result.path ?? result.url).split(separator: "/").last ?? ""
        let pause = String(format: "%.1f", retry.pause)
        let end = "; in \(pause) s, \(retry.number) of \(retry.limit)"
        let reason = PrintableText.line(ErrorSentence.beginning(of: result.error ?? ""))
        let start = "again   \(Padding.cut(PrintableText.line(String(name)), 24)): "
        return start + Padding.cut(reason, 80 - Padding.width(of: start + end)) + end
    }

    /// `3 files fetched, 1 kept, 2 the same, 1 failed; 48.2 MiB in 3.2 s (15.1 MiB/s).`
    ///
    /// - Parameter keepsParts: whether the same command continues after an interruption.
    static func summary(
        _ results: [FetchResult], seconds: Double, keepsParts: Bool = true
    ) -> String {
        func kept(_ reason: FetchResult.Kept, _ words: String) -> String? {
            let count = results.count { $0.kept == reason }
            return count > 0 ? "\(count) \(words)" : nil
        }
        let interrupted = results.count { $0.isInterrupted }
        let failed = results.count { $0.error != nil } - interrupted
        let fetched = results.count { $0.error == nil && $0.kept == nil }
        let received = results.reduce(0) { $0 + $1.received }
        let parts = [
            Quantity.count(fetched, "file") + " fetched", kept(.kept, "kept"),
            kept(.same, "the same"), kept(.skipped, "skipped"),
            failed > 0 ? "\(failed) failed" : nil,
            interrupted > 0 ? "\(interrupted) interrupted" : nil,
        ]
        let rate = seconds > 0 ? Double(received) / seconds : nil
        return parts.compactMap { $0 }.joined(separator: ", ")
            + "; \(Quantity.size(received)) in \(String(format: "%.1f", seconds)) s "
            + "(\(Quantity.rate(rate)))."
            + (interrupted > 0 && keepsParts ? " Run the same command again to continue." : "")
    }

    /// The control sequence that erases the lines above the cursor.
    static func erasing(lines: Int) -> String {
        // From the first column on, because the terminal may have echoed ^C.
        lines > 0 ? "\r\u{1B}[\(lines)A\u{1B}[J" : ""
    }

    private static func percent(_ file: FileProgress) -> String {
        guard let total = file.total, total > 0 else { return "-" }
        return "\(min(100, Int(Double(file.stored) / Double(total) * 100)))%"
    }
}
