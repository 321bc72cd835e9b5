/// The progress of a list of downloads.
struct FetchProgress: Sendable, Equatable {
    /// Files in the list.
    var count = 0
    var finished = 0
    var failed = 0
    /// Bytes that were received.
    var received: Int64 = 0
    /// The downloads that run, in the order of the list.
    var active: [FileProgress] = []

    mutating func add(_ result: FetchResult) {
        finished += 1
        failed += result.error == nil ? 0 : 1
    }

    /// The missing bytes; nil while a length is unknown.
    var missing: Int64? {
        guard finished + active.count == count else { return nil }
        var sum: Int64 = 0
        for file in active {
            guard let total = file.total else { return nil }
            sum += max(0, total - file.stored)
        }
        return sum
    }
}

/// The progress of one download.
struct FileProgress: Sendable, Equatable {
    var index: Int
    var name: String
    /// Bytes of the file that are stored.
    var stored: Int64
    /// Bytes of the whole file; nil while that is unknown.
    var total: Int64?
}
