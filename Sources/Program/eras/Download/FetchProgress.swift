/// The progress of a list of downloads.
struct FetchProgress: Sendable, Equatable {
    /// Files in the list.
    var count = 0
    var finished = 0
    var failed = 0
    /// The number of bytes received.
    var received: Int64 = 0
    /// The downloads that run, in the order of the list.
    var active: [FileProgress] = []

    mutating func add(_ result: FetchResult) {
        finished += 1
        failed += result.error == nil ? 0 : 1
    }

    /// The number of missing bytes; nil while a length is unknown.
    var missing: Int64? {
        guard finished + active.count == count else { return nil }
        var sum: Int64 = 0
        for file in active {
            guard let total = file.total else { return nil }
            // Lengths are the servers'.
            let (new, isTooLarge) = sum.addingReportingOverflow(max(0, total - file.stored))
            if isTooLarge { return nil }
            sum = new
        }
        return sum
    }
}

/// The progress of one download.
struct FileProgress: Sendable, Equatable {
    var index: Int
    var name: String
    /// The number of bytes that are stored.
    var stored: Int64
    /// The file's length; nil while it is unknown.
    var total: Int64?
}
