/// How far a list of downloads is.
struct FetchProgress: Sendable, Equatable {
    /// Files in the list.
    var count = 0
    var finished = 0
    var failed = 0
    /// Bytes that came over the network.
    var received: Int64 = 0
    /// The files on their way, in the order of the list.
    var active: [FileProgress] = []

    mutating func add(_ result: FetchResult) {
        finished += 1
        failed += result.error == nil ? 0 : 1
    }

    /// Bytes that are still to come; nil while that is not known of every file.
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

/// How far one download is.
struct FileProgress: Sendable, Equatable {
    var index: Int
    var name: String
    /// Bytes of the file there are.
    var stored: Int64
    /// Bytes of the whole file, where that is known.
    var total: Int64?
}
