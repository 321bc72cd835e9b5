/// The `Range` field of a request applied to a representation of known length.
enum ByteRange: Equatable {
    /// No range, several ranges, or a field that is to be ignored.
    case whole
    /// These bytes.
    case part(Range<Int64>)
    /// A range that has no byte of the representation.
    case unsatisfiable

    /// Reads `bytes=a-b`, `bytes=a-` and `bytes=-n`.
    init(_ field: String?, length: Int64) {
        self = ByteRange.parse(field, length) ?? .whole
    }

    private static func parse(_ field: String?, _ length: Int64) -> ByteRange? {
        guard let field, field.hasPrefix("bytes=") else { return nil }
        let spec = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard spec.count == 2, !spec[1].contains(",") else { return nil }
        let last = Int64(spec[1])
        guard spec[1].isEmpty || last != nil else { return nil }
        if spec[0].isEmpty {
            guard let count = last else { return nil }
            return count == 0 || length == 0
                ? .unsatisfiable : .part(max(0, length - count)..<length)
        }
        guard let first = Int64(spec[0]) else { return nil }
        let end = min(last ?? length - 1, length - 1) + 1
        if let last, last < first { return nil }
        return first < length ? .part(first..<end) : .unsatisfiable
    }

    /// The range a request asks for, `If-Range` considered.
    ///
    /// Only `GET` has ranges. `If-Range` must equal the entity tag or the date exactly.
    static func wanted(
        by request: RecordedRequest, length: Int64, etag: String?, lastModified: String?
    ) -> ByteRange {
        guard request.method == "GET" else { return .whole }
        if let validator = request.headers["If-Range"] {
            let matches = validator == etag && !validator.hasPrefix("W/")
            guard matches || validator == lastModified else { return .whole }
        }
        return ByteRange(request.headers["Range"], length: length)
    }
}
