import Foundation
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
        /// Whether a file gets the name that the server gives it.
        var usesServerNames = false
        /// Whether a file gets the time that the server gives it.
        var usesServerTimes = false
        /// Names that a server must not give a file.
        var reservedNames: [String] = []
        /// The most connections for one file.
        var segments = 1
        /// The least number of bytes for each of several connections; nil for the library's default.
        var minimumSegment: Int64?
        /// Whether the files are synchronized to the disk at the end.
        var isDurable = true
        /// The descriptor to which the only file is written as it arrives; nil for files.
        var output: Int32?
        var setup = TransferSetup()
        /// Whether to cancel what is left; called after each file.
        var isOver: @Sendable () -> Bool = { false }
    }
}
