import CFileStatus
import Foundation
import OperationNetworking
import Locking

/// Downloads a list of files through one `OperationManager`, with retries, until each has a result.
///
/// ## Concurrency
/// Call from: any thread. Lock: `state`; work goes on on the serial queue `deliveries`. Calls out
/// on: `deliveries`, in order, never under the lock.
final class Fetcher: Sendable {
    struct Settings: Sendable {
        var jobs = 4
        var retry = RetryPolicy(retries: 2)
        var timeout: TimeInterval = 60
        var isForced = false
    }

    private struct Entry {
        var enqueued: ContinuousClock.Instant?
        var began: ContinuousClock.Instant?
        var tries = 0
        var received: Int64 = 0
        var threads: Set<DeliveryThread> = []
        var download: FileDownload?
        /// What was there before the first try and was not fetched from this address.
        var found: FoundFile?
        /// Why the last try failed, while the next is waited for.
        var waiting: FetchResult?
        var result: FetchResult?
    }

    private struct State {
        var entries: [Entry]
        var unfinished: Int
        var isCancelled = false
    }

    // MARK: Set once

    let items: [DownloadItem]
    private let settings: Settings
    private let manager = OperationManager()
    private let deliveries = DispatchQueue(label: "eras.fetch")
    private let retrying: @Sendable (FetchResult, Retry) -> Void
    private let finished: @Sendable (FetchResult) -> Void
    private let completed: @Sendable ([FetchResult]) -> Void

    // MARK: Guarded by lock

    private let state: Locked<State>

    /// - Parameters:
    ///   - retrying: called after each failed try but the last.
    ///   - finished: called once a file.
    ///   - completed: called once, last, with the results in the order of the list.
    init(
        _ items: [DownloadItem], settings: Settings,
        retrying: @escaping @Sendable (FetchResult, Retry) -> Void = { _, _ in },
        finished: @escaping @Sendable (FetchResult) -> Void = { _ in },
        completed: @escaping @Sendable ([FetchResult]) -> Void
    ) {
        self.items = items
        self.settings = settings
        self.retrying = retrying
        self.finished = finished
        self.completed = completed
        state = Locked(
            State(
                entries: Array(repeating: Entry(), count: items.count), unfinished: items.count))
        manager.maxConcurrentOperationCount = settings.jobs
    }

    /// Returns at once. Call it once.
    func start() {
        deliveries.async { [self] in
            if items.isEmpty { completed([]) }
            for item in items { begin(item) }
        }
    }

    /// Ends every unfinished download and keeps its part.
    func cancel() {
        deliveries.async { [self] in
            let waiting = state.withLock { state in
                state.isCancelled = true
                return state.entries.compactMap(\.waiting)
            }
            manager.cancelAllOperations()
            for result in waiting { end(items[result.index], interrupted(result)) }
        }
    }

    // MARK: - On `deliveries`

    private func begin(_ item: DownloadItem) {
        guard let target = item.target else {
            var result = FetchResult(index: item.index, url: item.text)
            result.error = item.problem.map(ErrorSentence.text)
            return end(item, result)
        }
        let now = ContinuousClock.now
        state.withLock { $0.entries[item.index].enqueued = now }
        if !settings.isForced, access(target.place.path, F_OK) == 0 {
            return keep(item, target)
        }
        download(item, target, isForced: settings.isForced)
    }

    private func keep(_ item: DownloadItem, _ target: DownloadItem.Target) {
        let file = KeptFile(path: target.place.path, url: item.text)
        file.completionBlock = { [self, unowned file] in
            let outcome = file.outcome
            deliveries.async { self.kept(item, target, outcome) }
        }
        manager.operationQueue.addOperation(file)
    }

    private func kept(
        _ item: DownloadItem, _ target: DownloadItem.Target, _ outcome: KeptFile.Outcome
    ) {
        var result = FetchResult(index: item.index, url: item.text, path: target.place.path)
        let enqueued = state.withLock { $0.entries[item.index].enqueued }
        result.queuedMilliseconds = Self.milliseconds(enqueued, outcome.began)
        do {
            let found = try outcome.result.get()
            if !found.isOurs {
                state.withLock { $0.entries[item.index].found = found }
                return download(item, target)
            }
            result.bytes = found.bytes
            result.sha256 = found.sha256
            result.resumedFrom = found.bytes
            result.wireMilliseconds = 0
            result.isKept = true
        } catch is CancellationError {
            result = interrupted(result)
        } catch {
            result.error = ErrorSentence.text(for: error)
        }
        end(item, result)
    }

    private func download(
        _ item: DownloadItem, _ target: DownloadItem.Target, isForced: Bool = false
    ) {
        let found = state.withLock { $0.entries[item.index].found }
        let part = PartFile(
            place: target.place, url: item.text, found: found, isForced: isForced,
            mayReplace: settings.isForced)
        let download = FileDownload(target.url, to: part, timeout: settings.timeout)
        download.completionQueue = deliveries
        download.completionBlock = { [self, unowned download] in
            ended(item, download, part)
        }
        let isCancelled = state.withLock { state in
            state.entries[item.index].download = download
            state.entries[item.index].waiting = nil
            state.entries[item.index].tries += 1
            return state.isCancelled
        }
        manager.enqueue(download)
        if isCancelled { download.cancel() }
    }

    private func ended(_ item: DownloadItem, _ download: FileDownload, _ part: PartFile) {
        let now = ContinuousClock.now
        let details = download.snapshot
        let (entry, isCancelled) = state.withLock { state in
            let index = item.index
            state.entries[index].download = nil
            state.entries[index].began = state.entries[index].began ?? details.began
            state.entries[index].received += details.received
            state.entries[index].threads.formUnion(details.threads)
            return (state.entries[index], state.isCancelled)
        }
        var result = FetchResult(index: item.index, url: item.text, path: part.place.path)
        result.queuedMilliseconds = Self.milliseconds(entry.enqueued, entry.began)
        result.wireMilliseconds = Self.milliseconds(entry.began, now)
        result.threads = entry.threads
        result.received = entry.received
        result.resumedFrom = details.resumedFrom
        do {
            if let error = download.error, !download.isWhole { throw error }
            result.bytes = part.size
            result.sha256 = try part.finish()
            result.isKept = part.found != nil
            end(item, result)
        } catch {
            // Before the callbacks: after them another process may continue the part.
            part.close()
            result.bytes = Self.sizeOnDisk(part.place.part)
            result.error = ErrorSentence.text(for: error)
            if isCancelled { return end(item, interrupted(result)) }
            guard let pause = settings.retry.pause(after: entry.tries, error: error) else {
                return end(item, result)
            }
            let retry = Retry(pause: pause, number: entry.tries, limit: settings.retry.retries)
            retrying(result, retry)
            wait(pause, item, result)
        }
    }

    /// Tries again after a pause. The pause occupies no thread and no place in the queue.
    private func wait(_ pause: TimeInterval, _ item: DownloadItem, _ result: FetchResult) {
        state.withLock { $0.entries[item.index].waiting = result }
        deliveries.asyncAfter(deadline: .now() + pause) { [self] in
            let isOver = state.withLock { $0.entries[item.index].result != nil }
            guard !isOver, let target = item.target else { return }
            download(item, target)
        }
    }

    private func end(_ item: DownloadItem, _ result: FetchResult) {
        let results: [FetchResult]? = state.withLock { state in
            state.entries[item.index].waiting = nil
            state.entries[item.index].result = result
            state.unfinished -= 1
            return state.unfinished == 0 ? state.entries.compactMap(\.result) : nil
        }
        finished(result)
        results.map(completed)
    }

    private func interrupted(_ result: FetchResult) -> FetchResult {
        var result = result
        result.error = ErrorSentence.text(for: URLError(.cancelled))
        result.isInterrupted = true
        return result
    }

    private static func milliseconds(
        _ start: ContinuousClock.Instant?, _ end: ContinuousClock.Instant?
    ) -> Double? {
        guard let start, let end else { return nil }
        return (end - start) / .milliseconds(1)
    }

    private static func sizeOnDisk(_ path: String) -> Int64? {
        let status = cfile_status_at(path)
        return status.failure == 0 ? status.size : nil
    }

    // MARK: - Progress

    /// The present progress.
    var progress: FetchProgress {
        let entries = state.withLock { $0.entries }
        var progress = FetchProgress(count: entries.count)
        for (entry, item) in zip(entries, items) {
            let details = entry.download?.snapshot
            progress.received += entry.received + (details?.received ?? 0)
            if let result = entry.result {
                progress.add(result)
            } else if let details, details.began != nil, let target = item.target {
                progress.active.append(
                    FileProgress(
                        index: item.index, name: target.place.name, stored: details.stored,
                        total: details.total))
            }
        }
        return progress
    }
}
