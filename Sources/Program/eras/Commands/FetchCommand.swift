import CurlConnection
import Foundation
import HTTPSemantics
import Locking
import OperationNetworking

/// `eras fetch`: downloads a list and ends the process.
struct FetchCommand: Sendable {
    let options: FetchOptions

    /// - Throws: `UsageError` without URLs, or for an unusable option; `DiskError` for an unusable list
    ///   or directory; errors of `ListingOptions`.
    func begin() throws {
        let requests = options.requests
        let setup = try requests.setup()
        let urls = try urls(setup)
        // A single file is written to standard output as it arrives, unless its sum must be checked.
        let isPassedOn =
            options.isToOutput && urls.count == 1 && options.sum == nil && options.sums == nil
        let output = options.isToOutput && !isPassedOn ? FetchOutput() : nil
        let directory = output?.folder.path ?? options.directory
        let items = try hashed(
            DownloadItem.list(
                urls, directory: directory, shard: options.shard,
                haveQueries: options.haveQueries), of: urls.count)
        try checkInputs(against: items)
        requests.addCookies(to: setup, for: items.compactMap(\.target?.url))
        let folders = isPassedOn ? [] : Set(items.compactMap(\.target?.place.directory))
        if !options.isToOutput {
            for folder in folders.union([directory]) { try Directory(folder).make() }
        }
        Console.outliveReaders()
        let recording = FetchRecording(options: options)
        try recording.begin(items)
        let display = ProgressDisplay(isQuiet: options.isQuiet, count: items.count)
        let isJSON = options.isJSON
        let keepsParts = !options.isToOutput
        let signal = Locked<Int32>(0)
        let fetcher = Fetcher(items, settings: settings(setup, isPassedOn: isPassedOn)) {
            result, retry in
            display.retrying(result, retry)
        } finished: { result in
            if isJSON { Console.toOutput(result.jsonLine + "\n") }
            output?.add(result)
            display.finished(result)
        } completed: { results in
            output?.folder.remove()
            display.end(results, keepsParts: keepsParts)
            let files: [() throws -> Void] = [
                { try options.failed.map { try Self.save(results, of: items, to: $0) } },
                { try requests.saveCookies(of: setup) },
            ]
            // Each is written although another cannot be.
            let errors = (files + recording.end()).compactMap { write in
                do { try write() } catch { return error }
                return nil as (any Error)?
            }
            for error in errors { Console.complain(ErrorSentence.text(for: error)) }
            if let error = errors.first { ExitCode(error).leave() }
            ExitCode.of(results, loss: Console.lossCode).leave(after: signal.withLock { $0 })
        }
        let end = { @Sendable (how: String, again: String) in
            // First, because standard error may be blocked.
            Console.giveUpWaiting()
            let kept = keepsParts ? "keeping what can be continued" : "nothing is kept"
            display.say("\(how); \(kept). \(again) again ends at once.")
            fetcher.cancel()
        }
        Interruption.handle(
            beforeEndingAtOnce: output?.folder.remove,
            terminated: { number in
                signal.withLock { $0 = number }
                end("Terminated", "The same signal")
            },
            { end("Interrupted", "Ctrl-C") })
        // After the handlers, so that it is always removed.
        if let output {
            do {
                try output.folder.make()
                for folder in folders where folder != directory { try Directory(folder).make() }
            } catch {
                output.folder.remove()
                throw error
            }
        }
        display.follow { fetcher.progress }
        fetcher.start()
    }

    private func settings(_ setup: TransferSetup, isPassedOn: Bool) -> Fetcher.Settings {
        var setup = setup
        // All files may be of one host, and the wait for a connection counts for --max-time.
        setup.configuration.httpMaximumConnectionsPerHost = min(
            max(6, options.jobs * options.segments), setup.configuration.maximumConnections)
        return Fetcher.Settings(
            jobs: options.jobs, retries: options.retries, retryPause: options.retryDelay,
            maxTime: options.maxTime, wait: options.wait,
            rate: options.requests.rate.map { SharedRate(bytesPerSecond: $0) },
            leastSpeed: options.leastSpeed.map {
                (Self.bytes(Double($0) * options.speedTime), options.speedTime)
            },
            isForced: options.isForced, isRefresh: options.isRefresh,
            skipsExisting: options.skipsExisting, isCompressed: options.isCompressed,
            usesServerNames: options.usesServerNames && !options.isToOutput,
            usesServerTimes: options.usesServerTimes || options.isRefresh,
            reservedPlaces: reservedPlaces,
            segments: options.segments, minimumSegment: options.minimumSegment,
            isDurable: !options.isToOutput,
            output: isPassedOn ? STDOUT_FILENO : nil, setup: setup,
            advice: options.isToOutput ? .fetchAnew : .fetch,
            isOver: { Console.hasLostOutput })
    }

    /// Leads to the file that a shell's `<` has opened.
    private static let openedByShell = "/dev/stdin"

    /// The files that the command reads, which `--force` must not replace, nor a server's name lead to.
    private var inputs: [String] {
        var sources = options.sources
        if sources.isEmpty, options.urls.isEmpty { sources = [.standardInput] }
        let lists = sources.compactMap { source -> String? in
            switch source {
            case .file(let path): path
            case .standardInput: InputFile.standardInput
            case .address: nil
            }
        }
        let paths = lists + [options.sums].compactMap { $0 } + options.requests.inputs
        return paths.map { $0 == InputFile.standardInput ? Self.openedByShell : $0 }
    }

    /// - Throws: `UsageError` where `--force` would replace one of the inputs, or another name of it.
    private func checkInputs(against items: [DownloadItem]) throws(UsageError) {
        guard options.isForced, !options.isToOutput else { return }
        let known = Dictionary(
            inputs.compactMap { path in FileIdentity(path).map { ($0, path) } },
            uniquingKeysWith: { first, _ in first })
        guard !known.isEmpty else { return }
        for path in items.compactMap(\.target?.place.paths).joined() {
            guard let input = FileIdentity(path).flatMap({ known[$0] }) else { continue }
            let name =
                switch input {
                case path: path
                case Self.openedByShell: "\(path), the file on standard input"
                default: "\(path), another name of \(input)"
                }
            throw UsageError(
                sentence: "--force would replace \(name), which the command reads; choose another "
                    + "place with -o.", topic: .fetch)
        }
    }

    /// The places of the command's other files, and of the links to them.
    private var reservedPlaces: [FilePlace] {
        let others = [
            options.trace, options.har, options.html, options.requests.cookieJar, options.failed,
        ]
        let paths = others.compactMap { $0 } + inputs
        return (paths + paths.compactMap(NewFile.resolved)).map { path in
            let url = URL(fileURLWithPath: path)
            return FilePlace(
                directory: url.deletingLastPathComponent().path, name: url.lastPathComponent)
        }
    }

    /// Rounded up; from 1 to `Int64.max`.
    private static func bytes(_ count: Double) -> Int64 {
        Int64(exactly: max(1, count.rounded(.up))) ?? .max
    }

    /// The items with the hashes of the options.
    ///
    /// - Parameter count: how many URLs the whole list has.
    private func hashed(_ items: [DownloadItem], of count: Int) throws -> [DownloadItem] {
        var items = items
        if let sum = options.sum {
            guard count == 1 else {
                let name = "--" + sum.kind.rawValue.lowercased()
                throw UsageError(
                    sentence: "\(name) is for one URL; --sums takes a file with many sums.",
                    topic: .fetch)
            }
            for index in items.indices { items[index].sum = sum }
        }
        guard let path = options.sums else { return items }
        do {
            let list = try HashList(String(decoding: InputFile(path).read(), as: UTF8.self))
            for (index, item) in items.enumerated() {
                guard let name = item.target?.place.name else { continue }
                guard let sum = try list.sum(of: name, in: item.listed.folder) else {
                    throw UsageError(sentence: "\(path) has no sum for \(name).", topic: .fetch)
                }
                items[index].sum = sum
            }
            return items
        } catch let error as HashListError {
            throw UsageError(
                sentence: "Line \(error.line) of \(path) is no sum, or contradicts another of its "
                    + "file.", topic: .fetch)
        }
    }

    /// Writes a list of what was not fetched, for another run. Only its owner may read it, because addresses may
    /// contain passwords.
    private static func save(
        _ results: [FetchResult], of items: [DownloadItem], to path: String
    ) throws(DiskError) {
        let failed = Set(results.filter { $0.error != nil }.map(\.index))
        let text = items.filter { failed.contains($0.index) && $0.target != nil }
            .map(\.listed.lines).joined()
        try NewFile(path, isPrivate: true).save(text)
    }

    private func urls(_ setup: TransferSetup) throws -> [ListedURL] {
        let lists = options.sources.compactMap { source -> URL? in
            guard case .address(let text) = source else { return nil }
            return try? DownloadItem.url(text)
        }
        options.requests.addCookies(to: setup, for: lists)
        var urls = try options.listed(setup)
        if !options.isToOutput {
            var known: Set<ListedURL> = []
            urls = urls.filter { known.insert($0).inserted }
        }
        guard !urls.isEmpty else {
            throw UsageError(sentence: "There is no URL to fetch.", topic: .fetch)
        }
        if let name = options.fileName { urls[0].name = name }
        return urls
    }
}
