import OperationNetworking
import ParitySupport
import TestSupport

extension Stage {
    /// Starts a drip as A and waits until so many bytes are there; the next piece is held back.
    func receive(
        _ count: Int64, of operation: URLConnectionOperation, isRecorded: Bool = true
    ) async throws {
        let (recorder, server, signals) = (recorder, server, signals)
        let next: @Sendable (Int64) -> Void = { total in
            if total != count { server.release(GoldenServer.pieces, count: 1) }
            signals.record(nil, "\(total)")
        }
        operation.setDownloadProgressBlock { bytes, total, expected in
            if isRecorded {
                recorder.record("A", Event.progress("download", bytes, total, expected))
            }
            next(total)
        }
        queue.addOperation(operation)
        try await untilSignal("\(count)")
    }

    /// Pauses A after 2,000 bytes, and resumes when the pause has taken effect.
    func pauseAndResume(_ operation: URLConnectionOperation) async throws {
        try await receive(2_000, of: operation)
        called("pause")
        operation.pause()
        called(
            "pause returned",
            range(of: operation, "Range", "If-Range").merging([
                "isPaused": GoldenValue(operation.isPaused),
                "isReady": GoldenValue(operation.isReady),
            ]) { $1 })
        try await until("A", "finish notification")
        try await untilClientsLeft()
        called("resume")
        operation.resume()
        called("resume returned")
        try await end(of: "A", finishes: 2)
    }

    /// Header fields of an operation's request under their names in the recordings.
    func range(of operation: URLConnectionOperation, _ fields: String...) -> [String: GoldenValue] {
        let names = ["Range": "range", "If-Range": "ifRange"]
        let pairs = fields.map { field in
            (names[field] ?? field, GoldenValue(operation.request.value(forHTTPHeaderField: field)))
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// Expects that the last request on the wire asked for the rest of this entity.
    func expectRange(_ range: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let headers = server.requests.last?.headers
        #expect(headers?["Range"] == range, sourceLocation: sourceLocation)
        #expect(headers?["If-Range"] == "\"drip1\"", sourceLocation: sourceLocation)
        #expect(server.requests.count == 2, sourceLocation: sourceLocation)
    }

    /// A file that does not exist yet.
    func temporaryFile() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "parity-\(UUID().uuidString)")
    }
}
