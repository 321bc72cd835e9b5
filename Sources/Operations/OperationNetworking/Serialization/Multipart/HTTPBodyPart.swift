import Foundation

/// One part of a body, which is sent in four steps.
struct HTTPBodyPart: Sendable {
    /// The step that a reader of the part has reached.
    enum Phase: CaseIterable {
        case boundary, headers, body, closing, over

        /// The step after this one; only the last part has a closing boundary.
        func next(isLast: Bool) -> Phase {
            switch self {
            case .boundary: .headers
            case .headers: .body
            case .body: isLast ? .closing : .over
            case .closing, .over: .over
            }
        }
    }

    let headers: PartHeaders
    let body: PartBody

    /// What a step sends; nil after the last one.
    func source(
        of phase: Phase, boundary: MultipartBoundary, isFirst: Bool
    ) throws -> (any PartSource)? {
        switch phase {
        case .boundary: DataSource(boundary.opening(isFirst: isFirst))
        case .headers: DataSource(headers.lines)
        case .body: try body.source()
        case .closing: DataSource(boundary.closing)
        case .over: nil
        }
    }

    /// The length of all steps together (MP-12); nil if that is more than an `Int64` holds.
    func length(boundary: MultipartBoundary, isFirst: Bool, isLast: Bool) -> Int64? {
        let frame =
            boundary.opening(isFirst: isFirst).count + headers.lines.count
            + (isLast ? boundary.closing.count : 0)
        let (sum, isTooMuch) = body.length.addingReportingOverflow(Int64(frame))
        return isTooMuch ? nil : sum
    }

    /// Searching more bytes would take longer than a chance of 1 in 2^64 is worth.
    private static let searchLimit = 1 << 20

    /// Whether the boundary occurs in the header fields or in a small body, where a reader would
    /// take it for the end of the part (wound 20).
    func contains(_ boundary: MultipartBoundary) -> Bool {
        if case .data(let bytes) = body, boundary.occurs(in: bytes.prefix(Self.searchLimit)) {
            return true
        }
        return boundary.occurs(in: headers.lines)
    }
}

/// Where a part's body comes from.
enum PartBody: Sendable {
    case data(Data)
    case file(FilePart)
    case stream(StreamPart)

    /// In bytes.
    var length: Int64 {
        switch self {
        case .data(let bytes): Int64(bytes.count)
        case .file(let file): file.length
        case .stream(let stream): stream.length
        }
    }

    func source() throws -> any PartSource {
        switch self {
        case .data(let bytes): DataSource(bytes)
        case .file(let file): try FileSource(file)
        case .stream(let stream): try StreamSource(stream)
        }
    }
}
