import Foundation

/// `eras fetch`: downloads a list and ends the process.
struct FetchCommand: Sendable {
    private let options: FetchOptions

    init(_ options: FetchOptions) {
        self.options = options
    }

    /// - Throws: `UsageError` without URLs; `DiskError` for an unusable list or directory.
    func begin() throws {
        let items = DownloadItem.list(try urls(), directory: options.directory)
        try Directory(options.directory).make()
        let recording = FetchRecording(options: options)
        try recording.begin(items)
        let display = ProgressDisplay(
            options.isQuiet ? .quiet : Console.isErrorATerminal ? .terminal : .plain)
        let isJSON = options.isJSON
        let fetcher = Fetcher(items, settings: settings) { result, retry in
            display.retrying(result, retry)
        } finished: { result in
            if isJSON { Console.toOutput(result.jsonLine + "\n") }
            display.finished(result)
        } completed: { results in
            display.end(ProgressText.summary(results, seconds: display.seconds))
            do {
                try recording.end()
            } catch {
                Console.toError("eras: \(ErrorSentence.text(for: error))\n")
                ExitCode.failed.leave()
            }
            Self.exitCode(results).leave()
        }
        let interruption = Interruption {
            display.say("Interrupted; keeping what can be continued. Ctrl-C again ends at once.")
            fetcher.cancel()
        }
        display.follow { fetcher.progress }
        fetcher.start()
        Lifetime.keep(interruption)
    }

    private var settings: Fetcher.Settings {
        Fetcher.Settings(
            jobs: options.jobs, retry: RetryPolicy(retries: options.retries),
            timeout: options.timeout, isForced: options.isForced)
    }

    static func exitCode(_ results: [FetchResult]) -> ExitCode {
        if results.contains(where: \.isInterrupted) { return .interrupted }
        return results.allSatisfy { $0.error == nil } ? .success : .failed
    }

    private func urls() throws -> [String] {
        var sources = options.sources
        if sources.isEmpty, options.urls.isEmpty, !Console.isInputATerminal {
            sources = [.standardInput]
        }
        let lists = try sources.flatMap { FetchOptions.urls(inList: try text(of: $0)) }
        let urls = options.urls + lists
        guard !urls.isEmpty else {
            throw UsageError(sentence: "There is no URL to fetch.", topic: .fetch)
        }
        return urls
    }

    private func text(of source: FetchOptions.Source) throws -> String {
        switch source {
        case .standardInput:
            return String(decoding: try Self.read(STDIN_FILENO, "standard input"), as: UTF8.self)
        case .file(let path):
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw DiskError(action: "open", path: path) }
            defer { close(descriptor) }
            return String(decoding: try Self.read(descriptor, path), as: UTF8.self)
        }
    }

    private static func read(_ descriptor: Int32, _ path: String) throws -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw DiskError(action: "read", path: path) }
            if count == 0 { return all }
            all += buffer[..<count]
        }
    }

}
