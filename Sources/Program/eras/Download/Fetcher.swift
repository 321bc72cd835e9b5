import CLinux
import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import OperationNetworking

/// Downloads a list of files through one `OperationManager` until each has a result.
///
/// ## Concurrency
/// Call from: any thread. Lock: `state`. Calls out on: the serial queue `deliveries`, in order, never
/// under the lock.
final class Fetcher: Sendable {
    private struct Entry {
        var enqueued: ContinuousClock.Instant?
        var began: ContinuousClock.Instant?
        var threads: Set<DeliveryThread> = []
        var download: FileDownloadOperation?
        /// Why it is not retried.
        var stop: RetryDecision.Reason?
        /// Whether the request is for a newer version only.
        var isConditional = false
        var result: FetchResult?
    }

    private struct State {
        var entries: [Entry]
        var unfinished: Int
        var isCancelled = false
        /// The files that have not been enqueued, in reverse order; empty without waits between files.
        var waiting: [Int]
        /// The file that was enqueued last.
        var last: Int?
        /// The paths of this run's files, by `ServerName.key`: a server must not give them to another file.
        var taken: Set<String>
    }

    // MARK: Set once

    let items: [DownloadItem]
    private let settings: Settings
    private static let group = "files"
    private static let few = 16
    /// How many of the next files may be passed over for one behind them.
    private static let most = 1_000
    private let manager = OperationManager()
    private let policy: RetryPolicy
    /// The origins that must not get requests for a while, by `Retry-After`.
    private let originDelays: OriginDelays
    private let deliveries = DispatchQueue(label: "eras.fetch")
    private let fetched = FetchedList()
    private let retrying: @Sendable (FetchResult, Retry) -> Void
    private let finished: @Sendable (FetchResult) -> Void
    private let completed: @Sendable ([FetchResult]) -> Void

    // MARK: Guarded by lock

    private let state: Locked<State>

    /// - Parameters:
    ///   - retrying: called after each failed try except the last.
    ///   - finished: called once for each file.
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
        policy = .retries(
            settings.retries, delay: settings.retryDelay, pause: settings.retryPause)
        originDelays = OriginDelays(settings.setup.configuration.clock)
        state = Locked(
            State(
                entries: Array(repeating: Entry(), count: items.count), unfinished: items.count,
                waiting: settings.wait == nil ? [] : items.indices.reversed(),
                taken: settings.usesServerNames
                    ? Set(items.compactMap(\.target?.place).map(ServerName.key))
                        .union(settings.reservedPlaces.map(ServerName.key)) : []))
        // The group has the limit: a download that waits for a retry frees its slot in the group, but
        // not in the queue.
        manager.maxConcurrentOperationCount = max(1, items.count)
        manager.setMaxConcurrentOperationCount(settings.jobs, ofGroup: Self.group)
    }

    /// Returns at once. Call it once.
    func start() {
        deliveries.async { [self] in
            if items.isEmpty { completed([]) }
            if settings.wait == nil {
                for item in items { begin(item) }
            } else {
                beginNext(after: nil)
            }
        }
    }

    /// Cancels every unfinished download and keeps its part. It does not wait for `deliveries`, where a
    /// callback may be blocked because its output is not read.
    func cancel() {
        state.withLock { $0.isCancelled = true }
        manager.cancelAllOperations()
        guard settings.wait != nil else { return }
        deliveries.async { [self] in
            while let item = next() { begin(item) }
        }
    }

    // MARK: - On `deliveries`

    /// The next file to be enqueued.
    private func next() -> DownloadItem? {
        guard let place = nextPlace else { return nil }
        return state.withLock { state in
            let index = state.waiting.remove(at: place)
            state.last = index
            return items[index]
        }
    }

    /// The place in `waiting` of the file whose host may be asked first, by `Retry-After`; of several the first.
    private var nextPlace: Int? {
        let (waiting, isCancelled) = state.withLock { ($0.waiting, $0.isCancelled) }
        // Nothing is requested any more, and the list may be long.
        if isCancelled { return waiting.indices.last }
        var (place, least): (Int?, TimeInterval) = (nil, .infinity)
        for candidate in waiting.indices.suffix(Self.most).reversed() {
            let delay = originDelays.delay(of: items[waiting[candidate]].target?.url)
            if delay < least { (place, least) = (candidate, delay) }
            if delay == 0 { break }
        }
        return place
    }

    /// Enqueues the next file, if the file that was enqueued last is this one.
    private func beginNext(after last: Int?) {
        guard state.withLock(\.last) == last, let item = next() else { return }
        begin(item)
    }

    /// Enqueues the next file: after the wait if this one's first request is sent now, and at once if it needs none.
    private func enqueueNext(after item: DownloadItem, isRequested: Bool) {
        guard let wait = settings.wait else { return }
        deliveries.asyncAfter(deadline: .now() + (isRequested ? wait : 0)) { [self] in
            beginNext(after: item.index)
        }
    }

    /// The name that a server gave to the file when it was fetched before.
    private func knownName(of target: DownloadItem.Target) -> String? {
        guard settings.usesServerNames, !settings.isForced, settings.output == nil else {
            return nil
        }
        return fetched.name(in: target.place.directory, of: DownloadRecord.address(target.url))
    }

    private func begin(_ item: DownloadItem) {
        guard var target = item.target else {
            var result = FetchResult(index: item.index, url: item.text)
            result.fail(
                item.problem ?? UnusableURL(description: "This is no URL."),
                advice: settings.advice)
            return end(item, result)
        }
        if item.listed.name == nil, let name = knownName(of: target) {
            let known = FilePlace(directory: target.place.directory, name: name)
            let key = ServerName.key(known)
            // Unless another file of this run has it.
            let isNew = state.withLock { $0.taken.insert(key).inserted }
            if isNew || key == ServerName.key(target.place) { target.place = known }
        }
        if settings.skipsExisting, item.sum == nil, settings.output == nil,
            let size = FilePlace.size(of: target.place.path)
        {
            var result = FetchResult(index: item.index, url: item.text, path: target.place.path)
            (result.bytes, result.kept) = (size, .skipped)
            return end(item, result)
        }
        var options = settings.options(for: item, policy, originDelays)
        options.isSyncedLater = isSyncedAtEnd || !settings.isDurable
        var request = settings.setup.request(target.url)
        if settings.output == nil, !settings.isForced {
            prepare(item, target, &request, &options)
        }
        let download = FileDownloadOperation(
            request, to: URL(fileURLWithPath: target.place.path, isDirectory: false),
            output: settings.output, options: options
        ) { [self] transfer in
            prepare(transfer, of: item)
        }
        download.completionQueue = deliveries
        let place = target
        download.setRetryBlock { [self] decision, error in report(item, place, decision, error) }
        download.setResultBlock { [self, unowned download] result in
            ended(item, place, download, result)
        }
        let now = ContinuousClock.now
        state.withLock { state in
            state.entries[item.index].enqueued = now
            state.entries[item.index].download = download
        }
        manager.enqueue(download, group: Self.group)
        // An earlier cancel did not include this download.
        if state.withLock(\.isCancelled) { download.cancel() }
    }

    /// Adds what is known of a file that an earlier run fetched.
    private func prepare(
        _ item: DownloadItem, _ target: DownloadItem.Target, _ request: inout URLRequest,
        _ options: inout DownloadOptions
    ) {
        guard item.sum == nil, access(target.place.path, F_OK) == 0,
            let file = fetched.file(target.place, of: DownloadRecord.address(target.url))
        else { return }
        guard settings.isRefresh else {
            options.expectedSHA256 = file.sha256
            return
        }
        (options.existingFile, options.refreshedState) = (.replace, file.state)
        // A time that no server gave has fractions of a second.
        guard let date = file.serverTime else { return }
        request.setValue(HTTPDate.text(date), forHTTPHeaderField: "If-Modified-Since")
        state.withLock { $0.entries[item.index].isConditional = true }
    }

    /// Sets up the transfer of a connection. Called on its download's queue.
    private func prepare(_ transfer: URLConnectionOperation, of item: DownloadItem) {
        settings.setup.prepare(transfer)
        let now = ContinuousClock.now
        let isFirst = state.withLock { state in
            defer { state.entries[item.index].began = state.entries[item.index].began ?? now }
            return state.entries[item.index].began == nil
        }
        if isFirst { enqueueNext(after: item, isRequested: true) }
        transfer.setRedirectResponseBlock { [state] _, request, _ in
            let thread = DeliveryThread.current
            state.withLock { _ = $0.entries[item.index].threads.insert(thread) }
            return request
        }
    }

    private func report(
        _ item: DownloadItem, _ target: DownloadItem.Target, _ decision: RetryDecision,
        _ error: any Error
    ) {
        let seconds: TimeInterval
        switch decision.outcome {
        case .waits(let pause): seconds = pause
        case .stops(let reason):
            return state.withLock { $0.entries[item.index].stop = reason }
        }
        var result = FetchResult(index: item.index, url: item.text, path: target.place.path)
        result.error = ErrorSentence.text(for: error, advice: settings.advice)
        retrying(
            result, Retry(pause: seconds, number: decision.attempt, limit: settings.retries))
    }

    private func ended(
        _ item: DownloadItem, _ target: DownloadItem.Target, _ download: FileDownloadOperation,
        _ outcome: Result<DownloadedFile, any Error>
    ) {
        let now = ContinuousClock.now
        let progress = download.progress
        let entry = state.withLock { state in
            state.entries[item.index].download = nil
            return state.entries[item.index]
        }
        let path = settings.output == nil ? target.place.path : nil
        var result = FetchResult(index: item.index, url: item.text, path: path)
        result.queuedMilliseconds = Self.milliseconds(entry.enqueued, entry.began ?? now)
        result.wireMilliseconds = Self.milliseconds(entry.began, now)
        result.threads = entry.threads
        result.received = progress.received
        result.resumedFrom = progress.resumedFrom
        let response = entry.began == nil ? nil : download.response
        result.status = response?.statusCode
        result.finalURL = response?.url?.absoluteString
        do {
            let file = try outcome.get()
            result.bytes = file.length
            result.sha256 = file.sha256
            if file.wasThere { result.kept = entry.began == nil ? .kept : .same }
            result.resumedFrom = file.resumedFrom
            if entry.began == nil { result.wireMilliseconds = 0 }
            // A file that was there keeps its name: this run did not write it.
            if settings.usesServerNames, item.listed.name == nil, path != nil, let response,
                !file.wasThere
            {
                let (place, wasThere) = try ServerName(response, mayReplace: settings.isForced)
                    .rename(
                        target.place, sha256: file.sha256, of: DownloadRecord.address(target.url)
                    ) { [state] key in state.withLock { $0.taken.contains(key) } }
                result.path = place.path
                state.withLock { _ = $0.taken.insert(ServerName.key(place)) }
                if wasThere { result.kept = .same }
            }
            if let path = result.path, let response {
                if settings.usesServerTimes { FilePlace.set(response.lastModified, of: path) }
                fetched.note(path, of: DownloadRecord.address(target.url), sha256: file.sha256)
            }
        } catch DownloadError.status(304) where entry.isConditional {
            result.bytes = FilePlace.size(of: target.place.path)
            result.kept = .same
        } catch {
            if path != nil { result.bytes = FilePlace.size(of: target.place.part) }
            if item.sum != nil, case DownloadError.otherFile(let path, _, _) = error {
                result.fail(OtherSum(path: path), advice: settings.advice)
            } else {
                result.fail(error, advice: settings.advice)
            }
            if entry.stop == .serverAsksForLonger {
                let most = Int(policy.maximumRetryAfter)
                result.error? += " It asks for a longer rest than \(most) s."
            }
        }
        end(item, result)
    }

    private func end(_ item: DownloadItem, _ result: FetchResult) {
        let (results, wasRequested) = state.withLock { state -> ([FetchResult]?, Bool) in
            state.entries[item.index].result = result
            state.unfinished -= 1
            let results = state.unfinished == 0 ? state.entries.compactMap(\.result) : nil
            return (results, state.entries[item.index].began != nil)
        }
        if !wasRequested { enqueueNext(after: item, isRequested: false) }
        finished(result)
        if settings.isOver() { cancel() }
        if let results { completed(synced(results)) }
    }

    /// Whether whole file systems are synchronized once at the end. For few small files each is
    /// synchronized by itself, because the one call also waits for other programs' writes.
    private var isSyncedAtEnd: Bool {
        settings.isDurable && settings.output == nil && items.count > Self.few
    }

    /// Synchronizes the fetched files to the disk, each file system once. The files of one for which that fails have
    /// failed.
    private func synced(_ results: [FetchResult]) -> [FetchResult] {
        guard isSyncedAtEnd else { return results }
        let fetched = results.indices.filter { results[$0].error == nil && !results[$0].isKept }
        let files = Dictionary(grouping: fetched) { items[$0].target?.place.directory ?? "." }
        let systems = Dictionary(grouping: files.keys) { Directory($0).fileSystem }
        var results = results
        for directories in systems.values {
            do {
                try Directory(directories[0]).sync()
            } catch {
                Console.complain(
                    ErrorSentence.text(for: error, advice: settings.advice)
                        + " The files that were fetched to that disk may not be stored.")
                for index in directories.compactMap({ files[$0] }).joined() {
                    results[index].fail(error, advice: settings.advice)
                }
            }
        }
        return results
    }

    private static func milliseconds(
        _ start: ContinuousClock.Instant?, _ end: ContinuousClock.Instant?
    ) -> Double? {
        guard let start, let end else { return nil }
        return (end - start) / .milliseconds(1)
    }

    // MARK: - Progress

    var progress: FetchProgress {
        let entries = state.withLock { $0.entries }
        var progress = FetchProgress(count: entries.count)
        for (entry, item) in zip(entries, items) {
            if let result = entry.result {
                progress.add(result)
            } else if let details = entry.download?.progress, entry.began != nil {
                progress.add(
                    item, received: details.received, stored: details.stored, total: details.total)
            }
        }
        return progress
    }
}
