import Foundation

// What the connections of a try bring: responses and bytes.
extension DownloadTry {
    func take(_ judged: PartTransfer.Judged, of number: Int) {
        guard let stream = streams[number], !stream.isCut else { return }
        // One that is refused may still be taken over while it ends.
        if case .failed = judged.verdict, stream.isFurther { return }
        streams[number]?.isAnswered = true
        streams[number]?.end = judged.end
        defer { limit(number) }
        if stream.isFurther { return }
        do {
            try take(judged, of: stream, number)
        } catch {
            stream.buffer.fail(error)
        }
    }

    /// The first response.
    private func take(
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
            part.forget()
        case .failed: break
        }
        if allowsMore, goal.width > 1, goal.watchTime > 0 {
            isWatching = true
            storedBefore = part.stored
            run.watch(number, for: goal.watchTime)
        } else {
            addMore()
        }
    }

    /// Adds connections, unless the first brings what is missing within a second.
    func watched(_ number: Int) {
        guard streams[number] != nil, isWatching else { return }
        let came = part.stored - storedBefore
        let missing = part.map.segments.reduce(0) { $0 + ($1.rest ?? 0) }
        guard Double(missing) * goal.watchTime > Double(came) else { return }
        isWatching = false
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
        try part.catchUp(4 * Int64(piece.count)) { operation.isCancelled }
    }

    private func store(
        _ bytes: Slice<UnsafeRawBufferPointer>, _ stream: DownloadStream, _ number: Int
    ) throws {
        var rest = bytes
        while let segment = part.map[stream.segment] {
            if segment.isComplete {
                guard let end = stream.end, end > segment.position else {
                    if rest.isEmpty { return }
                    // What is too long cannot become right.
                    part.forget()
                    throw DownloadError.wrongLength(
                        expected: segment.position, received: segment.position + Int64(rest.count))
                }
                guard takeOver(behind: segment) else { return cut(number) }
                limit(number)
                continue
            }
            if rest.isEmpty { return }
            let piece = rest.prefix(Int(clamping: segment.rest ?? .max))
            try part.append(UnsafeRawBufferPointer(rebasing: piece), to: segment.id) {
                operation.isCancelled
            }
            rest = rest.dropFirst(piece.count)
        }
    }

    /// Goes on into the next segment, where none of its bytes has come: its own connection may wait for a
    /// place, or have failed.
    private func takeOver(behind segment: SegmentMap.Segment) -> Bool {
        guard let next = part.map.empty(behind: segment.id) else { return false }
        if let (number, other) = streams.first(where: { $0.value.segment == next.id }) {
            if other.isAnswered, !other.isCut { return false }
            // First: this one may end once it goes on, and would leave its place to a request for nothing.
            cut(number)
        }
        part.map.takeOver(behind: segment.id)
        return true
    }

    /// Has a connection that could bring more than its segment wait at its end, for it is cut there.
    ///
    /// - Returns: false where it has brought more already; then nothing changes.
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
