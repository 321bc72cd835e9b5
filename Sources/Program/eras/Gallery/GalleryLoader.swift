import CurlConnection
import Foundation
import FoundationNetworking
import Locking
import NetworkImages
import OperationNetworking

/// Downloads the images of a gallery through an `ImageDownloader`, scaled down to the size of a tile,
/// until each address has a tile.
///
/// Equal addresses share one transfer.
///
/// ## Concurrency
/// Call from: any thread. Lock: `state`. Calls out on: main, in order, never under the lock.
final class GalleryLoader: Sendable {
    struct Settings: Sendable {
        /// Transfers at once.
        var jobs = 4
        /// Seconds without a byte after which one fails.
        var timeout: TimeInterval = 60
        /// The most pixels of an image's side; larger ones are made smaller.
        var side = 192
    }

    private struct Entry {
        var receipt: ImageDownloadReceipt?
        var received: Int64 = 0
        var expected: Int64?
        var result: FetchResult?
        var tile: GalleryTile?
    }

    private struct State {
        var entries: [Entry]
        var unfinished: Int
        var isCancelled = false
    }

    let items: [DownloadItem]
    /// The first items of each address, at which the bytes of a transfer are counted.
    private let firsts: Set<Int>
    private let timeout: TimeInterval
    private let downloader: ImageDownloader
    private let finished: @Sendable (FetchResult) -> Void
    private let completed: @Sendable ([FetchResult], [GalleryTile]) -> Void
    private let state: Locked<State>

    /// - Parameters:
    ///   - finished: called once for each address.
    ///   - completed: called once, last, with results and tiles in the order of the list.
    /// - Throws: `SharedTransferError` where less than one transfer may run at once.
    init(
        _ items: [DownloadItem], settings: Settings,
        finished: @escaping @Sendable (FetchResult) -> Void = { _ in },
        completed: @escaping @Sendable ([FetchResult], [GalleryTile]) -> Void
    ) throws {
        let serializer = ImageResponseSerializer()
        serializer.targetPixelSize = PixelSize(width: settings.side, height: settings.side)
        let manager = HTTPRequestOperationManager()
        manager.responseSerializer = serializer
        // All addresses may be of one host.
        manager.configuration.httpMaximumConnectionsPerHost = settings.jobs
        self.items = items
        var seen: Set<String> = []
        firsts = Set(items.filter { seen.insert($0.text).inserted }.map(\.index))
        timeout = settings.timeout
        downloader = try ImageDownloader(
            manager: manager, maximumActiveDownloads: settings.jobs)
        self.finished = finished
        self.completed = completed
        state = Locked(
            State(
                entries: Array(repeating: Entry(), count: items.count), unfinished: items.count))
    }

    /// Returns at once. Call it once.
    func start() {
        DispatchQueue.main.async { [self] in
            if items.isEmpty { completed([], []) }
            for item in items { begin(item) }
        }
    }

    /// Cancels every unfinished download, and reports that in its result.
    func cancel() {
        DispatchQueue.main.async { [self] in
            let receipts = state.withLock { state in
                state.isCancelled = true
                return state.entries.compactMap(\.receipt)
            }
            receipts.forEach(downloader.cancel)
        }
    }

    // MARK: - On main

    private func begin(_ item: DownloadItem) {
        let began = ContinuousClock.now
        guard let target = item.target else {
            let sentence = item.problem.map(ErrorSentence.text) ?? ""
            return end(item, began, .problem(sentence), isInterrupted: false)
        }
        var request = URLRequest(url: target.url, timeoutInterval: timeout)
        request.setValue("image/*", forHTTPHeaderField: "Accept")
        let receipt = downloader.download(request) { [self] _, response, image in
            let length = response?.expectedContentLength ?? -1
            end(
                item, began, .image(image, bytes: length < 0 ? nil : length), isInterrupted: false)
        } failure: { [self] _, _, error in
            let isInterrupted = state.withLock(\.isCancelled)
            end(
                item, began, .problem(GalleryProblem.sentence(for: error)),
                isInterrupted: isInterrupted)
        } progress: { [state, firsts] received, expected in
            state.withLock { state in
                guard firsts.contains(item.index) else { return }
                state.entries[item.index].received = received
                state.entries[item.index].expected = expected < 0 ? nil : expected
            }
        }
        let isCancelled = state.withLock { state in
            state.entries[item.index].receipt = receipt
            return state.isCancelled
        }
        // An earlier cancel did not include this download.
        if isCancelled, let receipt { downloader.cancel(receipt) }
    }

    private func end(
        _ item: DownloadItem, _ began: ContinuousClock.Instant, _ content: GalleryTile.Content,
        isInterrupted: Bool
    ) {
        let tile = GalleryTile(item, content)
        var result = FetchResult(index: item.index, url: item.text)
        result.wireMilliseconds = (ContinuousClock.now - began) / .milliseconds(1)
        result.isInterrupted = isInterrupted
        result.error = tile.problem
        if case .image(_, let bytes) = content { result.bytes = bytes }
        let all = state.withLock { [result] state -> State? in
            state.entries[item.index].receipt = nil
            var result = result
            result.received = state.entries[item.index].received
            state.entries[item.index].result = result
            state.entries[item.index].tile = tile
            state.unfinished -= 1
            return state.unfinished == 0 ? state : nil
        }
        finished(result)
        if let all {
            completed(all.entries.compactMap(\.result), all.entries.compactMap(\.tile))
        }
    }

    // MARK: - Progress

    var progress: FetchProgress {
        let entries = state.withLock { $0.entries }
        var progress = FetchProgress(count: entries.count)
        for (entry, item) in zip(entries, items) {
            if let result = entry.result {
                progress.add(result)
            } else if entry.received > 0 {
                progress.add(
                    item, received: entry.received, stored: entry.received, total: entry.expected)
            }
        }
        return progress
    }
}
