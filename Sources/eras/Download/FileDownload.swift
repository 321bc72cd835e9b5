import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import OperationNetworking
import Locking

/// One try to download a file: it requests the missing bytes, judges the response and stores it.
///
/// The operation's own stream takes the bytes; this class decides beforehand whether they are
/// appended, begin the file anew, or are thrown away.
///
/// ## Concurrency
/// Call from: any thread. Lock: `details`, around what results; `part` is handed from thread to
/// thread. Calls out on: nothing; the superclass calls `completionBlock`.
final class FileDownload: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because `part` and `partial` are set before the connection starts and then read,
    // `refused` belongs to the network thread, and the rest is under the lock of `details`.

    /// The state that other threads may read at any time.
    struct Details {
        var began: ContinuousClock.Instant?
        var threads: Set<DeliveryThread> = []
        var resumedFrom: Int64?
        /// Bytes of the file that are stored.
        var stored: Int64 = 0
        /// Bytes of the body that were received in this try.
        var received: Int64 = 0
        /// The file's length; nil while it is unknown.
        var total: Int64?
        fileprivate var failure: (any Error)?
    }

    // MARK: Set once

    private var part: PartFile?
    private var partial: PartialContent?

    // MARK: Guarded by lock

    private let details = Locked(Details())

    // MARK: Network thread only

    /// How many bytes were discarded; nil while bytes are stored.
    private var refused: Int?

    /// After so many bytes of a refused body the connection is closed.
    private static let refusedLimit = 65_536

    /// - Parameter timeout: seconds without a byte after which it fails.
    convenience init(_ url: URL, to part: PartFile, timeout: TimeInterval) {
        var request = URLRequest(url: url)
        request.timeoutInterval = timeout
        // The part, its size and its ranges are of the bytes without a content coding.
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        self.init(request: request)
        self.part = part
        outputStream = PartStream(part)
    }

    var snapshot: Details { details.withLock { $0 } }

    override var error: (any Error)? {
        details.withLock(\.failure) ?? super.error
    }

    /// Whether every byte of the file is stored, also after a late cancel.
    var isWhole: Bool {
        let details = snapshot
        return details.failure == nil && details.total != nil && details.total == part?.size
    }

    /// Opens and hashes an earlier part, which may take time, and then starts.
    override func start() {
        if !isCancelled {
            prepare()
        }
        details.withLock { $0.began = .now }
        super.start()
    }

    private func prepare() {
        do {
            partial = try part?.openForMore { isCancelled }
        } catch {
            fail(error)
        }
        guard let partial else { return }
        request = partial.request(continuing: request)
        details.withLock {
            $0.stored = partial.offset
            $0.total = partial.totalLength
        }
    }

    // MARK: - The connection's calls

    override func connection(_ connection: URLConnection, didReceive response: URLResponse) {
        noteThread()
        do {
            try admit(response)
        } catch {
            refused = 0
            details.withLock { $0.failure = error }
        }
        super.connection(connection, didReceive: response)
    }

    override func connection(_ connection: URLConnection, didReceive data: Data) {
        noteThread()
        if let count = refused {
            refused = count + data.count
            if count + data.count > Self.refusedLimit { cancel() }
            return
        }
        super.connection(connection, didReceive: data)
        details.withLock {
            $0.stored += Int64(data.count)
            $0.received += Int64(data.count)
        }
    }

    override func connectionDidFinishLoading(_ connection: URLConnection) {
        noteThread()
        details.withLock {
            guard $0.failure == nil, let total = $0.total, total != $0.stored else { return }
            $0.failure = DownloadError.wrongLength(expected: total, got: $0.stored)
        }
        super.connectionDidFinishLoading(connection)
    }

    // MARK: - The response

    private func admit(_ response: URLResponse) throws {
        guard let response = response as? HTTPURLResponse else {
            throw DownloadError.refused("The response is not HTTP.")
        }
        switch (response.statusCode, partial) {
        case (200, nil), (201...205, nil):
            try startOver(response)
        case (200, let partial?), (206, let partial?), (416, let partial?):
            try admit(response, continuing: partial)
        case (206, nil):
            throw DownloadError.refused("The server sent a range that was not asked for.")
        case (let status, _):
            throw DownloadError.status(status)
        }
    }

    private func admit(_ response: HTTPURLResponse, continuing partial: PartialContent) throws {
        if response.statusCode != 416, Self.isEncoded(response) {
            // A coded range is not decoded. Without a record the next try requests the whole file.
            part.map { PartRecord.remove($0.place) }
            throw DownloadError.encodedPart
        }
        switch partial.judge(response) {
        case .append:
            let total = partial.totalLength ?? Self.sum(partial.offset, response)
            try compare(total)
            details.withLock {
                $0.resumedFrom = partial.offset
                $0.total = total
            }
        case .startOver:
            try startOver(response)
        case .complete:
            refused = 0
            details.withLock {
                $0.resumedFrom = partial.offset
                $0.total = partial.offset
            }
        case .refuse(let reason):
            throw DownloadError.refused(reason)
        }
    }

    private func startOver(_ response: HTTPURLResponse) throws {
        try compare(Self.sum(0, response))
        try part?.startOver(for: response)
        details.withLock {
            $0.resumedFrom = 0
            $0.stored = 0
            $0.total = Self.sum(0, response)
        }
    }

    /// Refuses a response whose length differs from the existing file's.
    private func compare(_ total: Int64?) throws {
        guard let part, let found = part.found, let total, total != found.bytes else { return }
        throw DownloadError.otherFile(
            path: part.place.path, bytes: found.bytes, expected: total)
    }

    private static func sum(_ offset: Int64, _ response: HTTPURLResponse) -> Int64? {
        let whole = PartialContent.whole(
            from: offset, announced: response.expectedContentLength)
        return whole < 0 ? nil : whole
    }

    private static func isEncoded(_ response: HTTPURLResponse) -> Bool {
        let coding = response.value(forHTTPHeaderField: "Content-Encoding") ?? ""
        return !coding.isEmpty && coding.lowercased() != "identity"
    }

    private func noteThread() {
        let thread = DeliveryThread.current
        details.withLock { _ = $0.threads.insert(thread) }
    }

    /// Fails without a connection: a cancelled operation finishes when it is started.
    private func fail(_ error: any Error) {
        details.withLock { $0.failure = error }
        cancel()
    }
}
