import CurlConnection
import Foundation
import FoundationNetworking

/// One connection of a try, and the segment that it brings.
struct DownloadStream {
    var segment: Int
    let isFurther: Bool
    let buffer: PartBuffer
    let transfer: PartTransfer
    let admission: Admission?
    /// The offset of the first byte of its response, and that behind the last; nil: unknown.
    var start: Int64
    var end: Int64?
    var isAnswered = false
    /// Whether its bytes are not wanted any more.
    var isCut = false

    /// Why it has not brought what it should, after its end.
    func problem(in map: SegmentMap) -> (any Error)? {
        if case .failed(let error)? = transfer.snapshot.verdict { return error }
        if isCut { return nil }
        if let failure = buffer.failure { return failure }
        let error = transfer.error
        switch transfer.snapshot.verdict {
        case .failed, .complete: return nil
        case nil: return error ?? URLError(.badServerResponse)
        // What is complete is so also after a late cancel.
        case .append, .startOver:
            guard let segment = map[segment], !segment.isComplete else { return nil }
            if let error { return error }
            guard let end = segment.end else { return nil }
            return DownloadError.wrongLength(expected: end, received: segment.position)
        }
    }
}
