import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics

/// One try of a download: a first connection, whose response decides, and perhaps further ones that load other
/// segments of the same file at the same time.
///
/// If a further connection fails, the missing bytes of its segment are loaded by the others. The try fails when no
/// connection is left and bytes are missing.
///
/// ## Concurrency
/// Call from: the download's queue `disk`. Lock: none. Calls out on: `disk`.
final class DownloadTry {
    struct Goal {
        var expectation: PartVerdict.Expectation
        /// Whether stored bytes may be continued.
        var mayContinue: Bool
        /// How many connections may run at once.
        var width: Int
        /// The least number of bytes for which a further one is opened.
        var minimum: Int64
        /// Seconds for which the first one's speed is measured before.
        var watchTime: TimeInterval
    }

    /// Why a try failed.
    struct Failure {
        var error: any Error
        /// The response of the connection; nil if there was none, or if the failure has another cause.
        var response: PartTransfer.Judged?
        var isFurther = false

        /// Whether the server refused only a further connection.
        var isRefusalOfMore: Bool {
            if case .failed? = response?.verdict { isFurther } else { false }
        }

        /// What a retry policy decides by; nil for an error that is never retried.
        var cause: RetryDecision.Cause? {
            switch (error, response?.verdict) {
            case (DownloadError.status(let code), _): .status(code)
            case (DownloadError.encodedPart, _), (DownloadError.changed, _):
                .error(.networkConnectionLost)
            // The first connection of the next try decides.
            case (DownloadError.refused, .failed) where isFurther:
                .error(.networkConnectionLost)
            // The announced length would be the same.
            case (DownloadError.wrongLength, .failed): nil
            case (DownloadError.wrongLength, _): .error(.networkConnectionLost)
            case (let error as URLError, _): .error(error.code)
            default: nil
            }
        }
    }

    let run: DownloadRun
    let part: PartFile
    let goal: Goal
    /// By numbers, by which blocks that run later find them.
    var streams: [Int: DownloadStream] = [:]
    private var width: Int
    /// Whether the first response allows further connections.
    var allowsMore = false
    /// Whether the first connection's speed is being measured, and the number of bytes when that began.
    var isMeasuring = false
    var storedBefore: Int64 = 0
    private var isOver = false
    private var failure: Failure?

    init(_ run: DownloadRun, _ goal: Goal) {
        (self.run, self.goal) = (run, goal)
        part = run.part
        width = goal.width
    }

    var operation: FileDownloadOperation { run.operation }

    // MARK: - Connections

    /// - Throws: `URLError.timedOut` where there is no time left.
    func start() throws {
        try start(part.map.takeFirst(), isFurther: false, nil)
    }

    private func start(
        _ segment: SegmentMap.Segment, isFurther: Bool, _ admission: Admission?
    ) throws {
        let partial = goal.mayContinue ? part.content(of: segment) : nil
        var expectation = goal.expectation
        expectation.isFurther = isFurther
        // The last segment is requested without an end, since the file may be longer than was announced.
        if let end = segment.end, end != partial?.totalLength { expectation.end = end }
        let number = run.nextNumber()
        let buffer = PartBuffer(
            operation.disk, sharers: goal.width, rate: operation.options.rate
        ) { [run] piece in
            try run.current?.store(piece, of: number)
        }
        let task = PartTransfer.Task(partial: partial, expectation: expectation, buffer: buffer) {
            [run] judged in
            // Before the bytes, which are stored on the same queue.
            run.operation.disk.async { run.current?.handle(judged, of: number) }
        } received: { [operation] count in
            operation.report { $0.received += count }
        }
        let transfer = try run.transfer(task)
        streams[number] = DownloadStream(
            segment: segment.id, isFurther: isFurther, buffer: buffer, transfer: transfer,
            admission: admission, start: segment.position)
        transfer.completionBlock = { [run] in run.current?.ended(number) }
        operation.began(transfer, isFurther: isFurther, partial: partial, stored: part.stored)
        transfer.start()
        // A cancel may have come before the transfer was in the operation's list.
        if operation.isCancelled { transfer.cancel() }
    }

    /// Opens further connections, for segments without one and for pieces of others.
    func addMore() {
        if streams.isEmpty { isMeasuring = false }
        guard allowsMore, !isMeasuring, !isOver, !part.map.isComplete, !operation.isCancelled
        else { return }
        var new: [Share] = []
        while streams.count + new.count < width {
            let admission = operation.furtherAdmission()
            guard admission?.ask() != false,
                let segment = part.map.takeNext(
                    free: width - streams.count - new.count, minimum: goal.minimum)
            else {
                admission?.leave()
                break
            }
            new.append(Share(segment: segment.id, admission: admission))
        }
        // Started after all are divided, since each requests its segment's end; running ones are limited before, so
        // that no connection is started for bytes that have been received.
        if !new.isEmpty { for number in streams.keys { limit(number, before: &new) } }
        for share in new {
            guard let segment = part.map[share.segment] else { continue }
            do {
                try start(segment, isFurther: true, share.admission)
            } catch {
                // The time limit is over, which ends the others too.
                part.map.release(share.segment)
                share.admission?.leave()
            }
        }
    }

    /// A segment whose connection has not been started.
    private struct Share {
        var segment: Int
        var admission: Admission?
    }

    /// Limits a connection to its segment. New segments behind it stay its own if it has received bytes of them.
    private func limit(_ number: Int, before new: inout [Share]) {
        while !limit(number), let id = streams[number]?.segment,
            let next = part.map.empty(behind: id),
            let index = new.firstIndex(where: { $0.segment == next.id })
        {
            part.map.takeOver(behind: id)
            new.remove(at: index).admission?.leave()
        }
    }

    // MARK: - The end

    /// Ends all connections.
    func fail(_ error: any Error) {
        for stream in streams.values {
            stream.buffer.fail(error)
            stream.transfer.cancel()
        }
    }

    func ended(_ number: Int) {
        guard let stream = streams.removeValue(forKey: number) else { return }
        stream.admission?.leave()
        operation.ended(stream.transfer)
        if let error = stream.problem(in: part.map) {
            width -= 1
            let new = Failure(
                error: error, response: stream.transfer.latest, isFurther: stream.isFurther)
            if failure == nil || failure?.isFurther == true { failure = new }
            if stream.buffer.failure != nil {
                // A failure of the disk ends all connections.
                if !isOver { failure = new }
                isOver = true
                for number in streams.keys { cut(number) }
            }
        }
        part.map.release(stream.segment)
        addMore()
        if streams.isEmpty { end() }
    }

    private func end() {
        let isWhole = part.map.isComplete || (part.map.first.end == nil && failure == nil)
        if isWhole, !isOver { return run.ended(nil) }
        run.ended(failure ?? Failure(error: URLError(.networkConnectionLost)))
    }
}

// MARK: - Responses and bytes

extension DownloadTry {
    func handle(_ judged: PartTransfer.Judged, of number: Int) {
        guard let stream = streams[number], !stream.isCut else { return }
        // Another connection may take over its segment while it ends.
        if case .failed = judged.verdict, stream.isFurther { return }
        streams[number]?.isAnswered = true
        streams[number]?.end = judged.end
        defer { limit(number) }
        if stream.isFurther { return }
        do {
            try handleFirst(judged, of: stream, number)
        } catch {
            stream.buffer.fail(error)
        }
    }

    private func handleFirst(
        _ judged: PartTransfer.Judged, of stream: DownloadStream, _ number: Int
    ) throws {
        switch judged.verdict {
        case .append(let total):
            if let total { part.map.set(length: total) }
            let stored = part.stored
            operation.report { ($0.resumedFrom, $0.total) = (stored, total) }
            allowsMore = judged.allowsMore && total != nil
        case .startOver(let record, let total):
            try part.startOver(record, length: total)
            streams[number]?.segment = part.map.first.id
            streams[number]?.start = 0
            operation.report { ($0.resumedFrom, $0.stored, $0.total) = (0, 0, total) }
            allowsMore = judged.allowsMore && record != nil && total != nil
        case .complete:
            let stored = part.stored
            part.map.set(length: stored)
            operation.report { ($0.resumedFrom, $0.total) = (stored, stored) }
        case .failed(.encodedPart), .failed(.changed):
            part.dropRecord()
        case .failed: break
        }
        if allowsMore, goal.width > 1, goal.watchTime > 0 {
            isMeasuring = true
            storedBefore = part.stored
            run.measure(number, for: goal.watchTime)
        } else {
            addMore()
        }
    }

    /// Opens further connections, unless the first will load the missing bytes within a second.
    func measured(_ number: Int) {
        guard streams[number] != nil, isMeasuring else { return }
        let came = part.stored - storedBefore
        let missing = part.map.segments.reduce(0) { $0 + ($1.missing ?? 0) }
        guard Double(missing) * goal.watchTime > Double(came) else { return }
        isMeasuring = false
        addMore()
    }

    func store(_ piece: Data, of number: Int) throws {
        guard let stream = streams[number], !stream.isCut, part.map[stream.segment] != nil else {
            return
        }
        defer {
            let stored = part.stored
            operation.report { $0.stored = stored }
        }
        try piece.withUnsafeBytes { try store($0[...], stream, number) }
        try part.extendHash(4 * Int64(piece.count)) { operation.isCancelled }
    }

    private func store(
        _ bytes: Slice<UnsafeRawBufferPointer>, _ stream: DownloadStream, _ number: Int
    ) throws {
        var rest = bytes
        while let segment = part.map[stream.segment] {
            if segment.isComplete {
                guard let end = stream.end, end > segment.position else {
                    if rest.isEmpty { return }
                    // A file that is too long cannot be continued.
                    part.dropRecord()
                    throw DownloadError.wrongLength(
                        expected: segment.position, received: segment.position + Int64(rest.count))
                }
                guard takeOver(behind: segment) else { return cut(number) }
                limit(number)
                continue
            }
            if rest.isEmpty { return }
            let piece = rest.prefix(Int(clamping: segment.missing ?? .max))
            try part.append(UnsafeRawBufferPointer(rebasing: piece), to: segment.id) {
                operation.isCancelled
            }
            rest = rest.dropFirst(piece.count)
        }
    }

    /// Continues with the next segment if it has no bytes: its own connection may wait for a slot, or have failed.
    private func takeOver(behind segment: SegmentMap.Segment) -> Bool {
        guard let next = part.map.empty(behind: segment.id) else { return false }
        if let (number, other) = streams.first(where: { $0.value.segment == next.id }) {
            if other.isAnswered, !other.isCut { return false }
            // First, because the other one must not get the slot of this one when this one ends.
            cut(number)
        }
        part.map.takeOver(behind: segment.id)
        return true
    }

    /// Suspends a connection at the end of its segment, if its response is longer.
    ///
    /// - Returns: false if it has received more already; then nothing changes.
    @discardableResult
    func limit(_ number: Int) -> Bool {
        guard let stream = streams[number], stream.isAnswered,
            let segment = part.map[stream.segment]
        else { return true }
        let end = segment.end == stream.end ? nil : segment.end
        return stream.buffer.limit(to: end.map { $0 - stream.start } ?? .max)
    }

    func cut(_ number: Int) {
        streams[number]?.isCut = true
        streams[number]?.transfer.cancel()
    }
}

/// One connection of a try, and the segment that it loads.
struct DownloadStream {
    var segment: Int
    let isFurther: Bool
    let buffer: PartBuffer
    let transfer: PartTransfer
    let admission: Admission?
    /// The offset of its response's first byte, and the one behind the last; nil if unknown.
    var start: Int64
    var end: Int64?
    var isAnswered = false
    /// Whether its further bytes are ignored.
    var isCut = false

    /// Why it has not completed its segment, after its end.
    func problem(in map: SegmentMap) -> (any Error)? {
        if case .failed(let error)? = transfer.latest?.verdict { return error }
        if isCut { return nil }
        if let failure = buffer.failure { return failure }
        let error = transfer.error
        switch transfer.latest?.verdict {
        case .failed, .complete: return nil
        case nil: return error ?? URLError(.badServerResponse)
        // A complete segment is no failure, even after a cancel.
        case .append, .startOver:
            guard let segment = map[segment], !segment.isComplete else { return nil }
            if let error { return error }
            guard let end = segment.end else { return nil }
            return DownloadError.wrongLength(expected: end, received: segment.position)
        }
    }
}
