import CurlConnection
import Foundation

/// `eras fetch`: downloads a list and ends the process.
struct FetchCommand: Sendable {
    private let options: FetchOptions

    init(_ options: FetchOptions) {
        self.options = options
    }

    /// - Throws: `UsageError` without URLs; `DiskError` for an unusable list or directory.
    func begin() throws {
        let urls = try urls()
        // One file goes out as it comes, where no sum must be right first.
        let isPassedOn =
            options.isToOutput && urls.count == 1 && options.sha256 == nil && options.sums == nil
        let output = options.isToOutput && !isPassedOn ? FetchOutput() : nil
        let directory = output?.directory ?? options.directory
        let items = try hashed(
            DownloadItem.list(urls, directory: directory, shard: options.shard))
        let requests = FetchSetup(options: options.requests)
        let setup = try requests.setup(for: items.compactMap(\.target?.url))
        if !isPassedOn { try Directory(directory).make() }
        // Who reads standard output may end before; the write fails then.
        if options.isToOutput { signal(SIGPIPE, SIG_IGN) }
        let recording = FetchRecording(options: options)
        try recording.begin(items)
        let display = ProgressDisplay(
            options.isQuiet ? .quiet : Console.isErrorATerminal ? .terminal : .plain)
        let isJSON = options.isJSON
        let fetcher = Fetcher(items, settings: settings(setup, isPassedOn: isPassedOn)) {
            result, retry in
            display.retrying(result, retry)
        } finished: { result in
            if isJSON { Console.toOutput(result.jsonLine + "\n") }
            output?.add(result)
            display.finished(result)
        } completed: { results in
            output?.remove()
            display.end(ProgressText.summary(results, seconds: display.seconds))
            do {
                try requests.end(setup)
                try recording.end()
            } catch {
                Console.toError("eras: \(ErrorSentence.text(for: error))\n")
                ExitCode(error).leave()
            }
            ExitCode.of(results).leave()
        }
        let interruption = Interruption {
            display.say("Interrupted; keeping what can be continued. Ctrl-C again ends at once.")
            fetcher.cancel()
        }
        display.follow { fetcher.progress }
        fetcher.start()
        Lifetime.keep(interruption)
    }

    private func settings(_ setup: TransferSetup, isPassedOn: Bool) -> Fetcher.Settings {
        var setup = setup
        if let rate = setup.configuration.maximumReceiveRate {
            setup.configuration.maximumReceiveRate = max(1, rate / Int64(options.segments))
        }
        return Fetcher.Settings(
            jobs: options.jobs, retries: options.retries, maxTime: options.maxTime,
            isForced: options.isForced, usesServerNames: options.usesServerNames,
            segments: options.segments, minimumSegment: options.minimumSegment,
            output: isPassedOn ? STDOUT_FILENO : nil, setup: setup)
    }

    /// The items with the hashes that the options say.
    private func hashed(_ items: [DownloadItem]) throws -> [DownloadItem] {
        var items = items
        if let sha256 = options.sha256 {
            guard items.count == 1 else {
                throw UsageError(
                    sentence: "--sha256 is for one URL; --sums takes a file with many sums.",
                    topic: .fetch)
            }
            items[0].sha256 = sha256
        }
        guard let path = options.sums else { return items }
        let list: HashList
        do {
            list = try HashList(String(decoding: InputFile(path).read(), as: UTF8.self))
        } catch let error as HashListError {
            throw UsageError(
                sentence: "Line \(error.line) of \(path) is no SHA-256 sum, or not the only one of "
                    + "its file.", topic: .fetch)
        }
        for (index, item) in items.enumerated() {
            guard let name = item.target?.place.name else { continue }
            guard let hash = list.hashes[name] else {
                throw UsageError(sentence: "\(path) has no sum for \(name).", topic: .fetch)
            }
            items[index].sha256 = hash
        }
        return items
    }

    private func urls() throws -> [String] {
        let urls = try URLList(urls: options.urls, sources: options.sources).read()
        guard !urls.isEmpty else {
            throw UsageError(sentence: "There is no URL to fetch.", topic: .fetch)
        }
        return urls
    }
}
