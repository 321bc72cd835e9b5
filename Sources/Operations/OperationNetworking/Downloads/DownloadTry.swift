import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics

/// One try of a download: a first connection, whose response decides, and perhaps further ones that bring other
/// ranges of the same file at the same time.
///
/// A further connection only adds to what the first brings. Where it fails, what it left goes to those that
/// are still there, and the try fails when none is left and bytes are missing.
///
/// ## Concurrency
/// Call from: the download's queue `disk`. Lock: none. Calls out on: `disk`.
final class DownloadTry {
    /// What a try is for.
    struct Goal {
        var expectation: PartVerdict.Expectation
        /// Whether earlier bytes count.
        var mayContinue: Bool
        /// How many connections may run at once.
        var width: Int
        /// The least number of bytes that a further one is opened for.
        var minimum: Int64
        /// Seconds that the first one is watched before.
        var watchTime: TimeInterval
    }

    /// Why a try failed.
    struct Failure {
        var error: any Error
        var details = PartTransfer.Details()
        var isFurther = false

        /// Whether the server refused a further connection what the first one gets.
        var isRefusalOfMore: Bool {
            if case .failed? = details.verdict { isFurther } else { false }
        }
    }

    let run: DownloadRun
    let part: PartFile
    let goal: Goal
    /// By their numbers, which blocks hold that run later.
    var streams: [Int: DownloadStream] = [:]
    private var width: Int
    /// What the first response allowed.
    var allowsMore = false
    /// Whether the first connection is still watched, and how many bytes there were when that began.
    var isWatching = false
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
        // The last one is asked for without an end, since a file may be longer than it was known to be.
        if let end = segment.end, end != partial?.totalLength { expectation.end = end }
        let number = run.nextNumber()
        let buffer = PartBuffer(operation.disk, sharers: goal.width) { [run] piece in
            try run.current?.store(piece, of: number)
        }
        let task = PartTransfer.Task(partial: partial, expectation: expectation, buffer: buffer) {
            [run] judged in
            // Before the bytes, which follow on the same queue.
            run.operation.disk.async { run.current?.take(judged, of: number) }
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
        // A cancel that came before it was there.
        if operation.isCancelled { transfer.cancel() }
    }

    /// Gives what nobody brings, and shares of what others do, to further connections.
    func addMore() {
        if streams.isEmpty { isWatching = false }
        guard allowsMore, !isWatching, !isOver, !part.map.isComplete, !operation.isCancelled
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
        // After all were shared out: each asks up to where its own ends. Those that run come first, so that none
        // is begun for bytes that are there.
        if !new.isEmpty { for number in streams.keys { keepInside(number, of: &new) } }
        for share in new {
            guard let segment = part.map[share.segment] else { continue }
            do {
                try start(segment, isFurther: true, share.admission)
            } catch {
                // There is no time left, which the others find as well.
                part.map.release(share.segment)
                share.admission?.leave()
            }
        }
    }

    /// A segment that no connection has been asked for yet.
    private struct Share {
        var segment: Int
        var admission: Admission?
    }

    /// Has a connection wait at the end of its segment. Shares behind it whose bytes it has taken already, on
    /// their way to the disk, stay its own.
    private func keepInside(_ number: Int, of new: inout [Share]) {
        while !limit(number), let id = streams[number]?.segment,
            let next = part.map.empty(behind: id),
            let index = new.firstIndex(where: { $0.segment == next.id })
        {
            part.map.takeOver(behind: id)
            new.remove(at: index).admission?.leave()
        }
    }

    // MARK: - The end

    func ended(_ number: Int) {
        guard let stream = streams.removeValue(forKey: number) else { return }
        stream.admission?.leave()
        operation.ended(stream.transfer)
        if let error = stream.problem(in: part.map) {
            width -= 1
            let new = Failure(
                error: error, details: stream.transfer.snapshot, isFurther: stream.isFurther)
            if failure == nil || failure?.isFurther == true { failure = new }
            if stream.buffer.failure != nil {
                // The disk's failure is all connections'.
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
