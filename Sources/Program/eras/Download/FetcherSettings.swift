import Foundation
import HTTPSemantics
import OperationNetworking

extension Fetcher {
    struct Settings: Sendable {
        var jobs = 4
        var retries = 2
        /// The longest pause before the first retry, in seconds.
        var retryDelay = 0.5
        /// The pause before each retry, in seconds; nil for a random time, see `retryDelay`.
        var retryPause: TimeInterval?
        /// The longest time for one file, in seconds.
        var maxTime: TimeInterval?
        /// Seconds between the first requests of two files; nil for none.
        var wait: TimeInterval?
        /// What all files may receive together; nil for no limit.
        var rate: SharedRate?
        /// See `DownloadOptions.leastSpeed`.
        var leastSpeed: (bytes: Int64, seconds: TimeInterval)?
        var isForced = false
        /// Whether the server is asked for a newer version of each file that an earlier run fetched.
        var isRefresh = false
        /// Whether a file that is there is left alone, unless there is a sum for it.
        var skipsExisting = false
        /// Whether content codings are accepted and decoded; if not, files have the bytes that are sent.
        var isCompressed = false
        /// Whether a file gets the name that the server gives it, unless the list names it.
        var usesServerNames = false
        /// Whether a file gets the time that the server gives it.
        var usesServerTimes = false
        /// Places of the command's other files, inputs too, which no server's name must lead to.
        var reservedPlaces: [FilePlace] = []
        /// The most connections for one file.
        var segments = 1
        /// The least number of bytes for each of several connections; nil for the library's default.
        var minimumSegment: Int64?
        /// Whether the files are synchronized to the disk.
        var isDurable = true
        /// The descriptor to which the only file is written as it arrives; nil for files.
        var output: Int32?
        var setup = TransferSetup()
        /// What the sentences on errors may advise.
        var advice = Advice.fetch
        /// Whether to cancel what is left; called after each file.
        var isOver: @Sendable () -> Bool = { false }

        /// The options of one file's download.
        func options(
            for item: DownloadItem, _ policy: RetryPolicy, _ originDelays: OriginDelays
        ) -> DownloadOptions {
            let isSHA256 = item.sum?.kind == .sha256
            var options = DownloadOptions(expectedSHA256: isSHA256 ? item.sum?.digits : nil)
            if !isSHA256 { options.otherSum = item.sum }
            options.rate = rate
            options.leastSpeed = leastSpeed
            options.existingFile = isForced ? .replace : .compare
            options.continuesPart = !isForced
            options.retryPolicy = policy
            options.originDelays = originDelays
            options.isCompressed = isCompressed
            options.timeout = maxTime
            options.segments = segments
            if let minimumSegment { options.minimumSegmentLength = minimumSegment }
            return options
        }
    }
}

/// A retry of a file.
struct Retry: Sendable, Equatable {
    /// Seconds until it begins.
    var pause: TimeInterval
    /// The first retry is 1.
    var number: Int
    /// The most retries.
    var limit: Int
}

extension RetryPolicy {
    /// The command's policy. It also retries responses of a server that starts or stops, and has no
    /// budget, because the number of retries was given.
    ///
    /// - Parameter pause: seconds before each retry; nil for a random time, at most `delay` at first.
    static func retries(
        _ count: Int, delay: TimeInterval = 0.5, pause: TimeInterval? = nil
    ) -> RetryPolicy {
        var policy = RetryPolicy(budget: nil)
        policy.maximumAttempts = count + 1
        policy.statusCodes.formUnion([425, 500])
        policy.errorCodes.formUnion([
            .cannotParseResponse, .badServerResponse, .resourceUnavailable,
        ])
        policy.delay = pause == nil ? delay : 0
        policy.minimumDelay = pause ?? 0
        policy.maximumDelay = 8
        return policy
    }
}
