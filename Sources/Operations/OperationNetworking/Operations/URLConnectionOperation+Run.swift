public import CurlConnection
import EventRecorder
public import Foundation
public import FoundationNetworking
import HTTPSemantics
import Scheduling
import Synchronization

// An operation's part on the network thread: its runs, their bytes, and the end.

extension URLConnectionOperation {
    func begin(_ run: OperationMachine.Run) {
        // After a resume while an end waits for the file, that end counts.
        guard responseBody?.heldEnd == nil else { return }
        var begun: Start?
        send {
            runThread.assertIsCurrent()
            let actions = guarded.machine.began(run)
            guard actions.connects else { return actions }
            let rare = guarded.rare
            if responseBody == nil { rare?.streamInUse = rare?.outputStream }
            begun = Start(
                settings: guarded.sharedSettings, stream: rare?.streamInUse,
                reader: rare?.reader, request: guarded.request, thread: runThread,
                requestBeforePause: rare?.requestBeforePause, name: guarded.traceName)
            return actions
        }
        // An observer of that event may have ended it.
        guard let start = begun, state != .finished, responseBody?.heldEnd == nil else { return }
        let stream = start.stream
        observedManager = start.settings.value.observedManager
        notifyObserver { $0.requestDidStart($1) }
        let body =
            responseBody
            ?? ResponseBody(
                stream, reader: start.reader, limit: start.settings.value.configuration.limits,
                // The weak reference in it makes all others to the operation slow, so only for a stream.
                moved: stream.map { _ in
                    streamWaker(start.thread, start.settings.value.runLoopModes)
                })
        responseBody = body
        body.forgetUnstored()
        let connection: URLConnection
        do {
            try start.thread.requireLoop(for: start.request.url)
            try start.settings.policyInUse.mayAsk(start.request.url)
            let request = try nextRequest(start, stored: body.acceptedCount).withFreshBody()
            connection = URLConnection(
                request: request, delegate: self,
                configuration: start.settings.connectionConfiguration(writingTo: stream))
        } catch {
            return complete(with: error)
        }
        let modes = start.settings.value.runLoopModes
        connection.schedule(in: .current, forModes: modes)
        connection.timeoutIntervalForResource = start.settings.value.timeoutIntervalForResource
        connection.trustRequirements = start.settings.policyInUse.requirements
        connection.number = number
        connection.priority = TransferPriority(queuePriority)
        connection.name = start.name
        connection.isResponseStreamed = stream != nil || start.reader != nil
        if modes == .commonModes { connection.pass = start.thread.pass }
        self.connection = connection
        runOfConnection = run
        reportedBytes.beginSending()
        reportedBytes.beginReceiving(at: bytesStored.load(ordering: .relaxed))
        body.open()
        note(nil)
        connection.startAtOnce()
    }

    /// Counts the bytes that a stream of a file has written, and continues, on the network thread.
    private func streamWaker(
        _ thread: NetworkThread, _ modes: Set<RunLoop.Mode>
    ) -> @Sendable () -> Void {
        { [weak self] in
            thread.enqueue(alsoIn: modes) { [weak self] in
                guard let self, self.responseBody != nil else { return }
                self.store { try $0.flush() }
                self.connection?.continueReceiving()
                self.endIfSettled()
            }
        }
    }

    /// Continues receiving if the reader of the body can take more. On the network thread.
    func followReader() {
        guard let connection, let reader = responseBody?.reader, !reader.isFull else { return }
        connection.continueReceiving()
    }

    /// The settings of a run, read at its start.
    private struct Start {
        let settings: Shared<OperationSettings>
        let stream: OutputStream?
        let reader: BodyChannel?
        let request: URLRequest
        let thread: NetworkThread
        let requestBeforePause: URLRequest?
        /// The request's name in a recording.
        let name: EventText
    }

    /// The request of a run. A range that a pause wrote into it is made exact.
    private func nextRequest(_ start: Start, stored: Int64) -> URLRequest {
        guard let original = start.requestBeforePause else {
            return resumption.begin(
                start.request, after: lock.withLock { guarded.response }, stored: stored)
        }
        let next = resumption.begin(
            original, paused: start.request, after: lock.withLock { guarded.response },
            stored: stored)
        replace(\.request, by: next)
        return next
    }

    func interrupt(_ run: OperationMachine.Run) {
        guard connection != nil, runOfConnection == run, state != .finished else { return }
        connection?.cancel()
        note(nil)
        lock.withLock { keepTimes(of: connection) }
        connection = nil
    }

    func abort() {
        connection?.cancel()
        complete(with: lock.withLock { guarded.rare?.failureBeforeStart ?? guarded.cancelError })
    }

    /// Ends the operation, once, with an earlier cancel in place of any other result.
    ///
    /// An output stream's file is written and closed before. If a disk does not respond, the end waits for the
    /// `timeoutInterval` after the last byte, and after a cancel for a second.
    func complete(with failure: (any Error)?) {
        guard let body = responseBody else { return end(with: failure, after: connection) }
        if body.heldEnd == nil {
            body.heldEnd = .init(failure: failure, connection: connection)
            connection = nil
        }
        endIfSettled()
        guard responseBody === body else { return }
        let isCancelled = read(\.machine.isCancelled)
        guard isCancelled || body.heldEnd?.timer == nil else { return }
        body.heldEnd?.timer?.invalidate()
        let limit = isCancelled ? 1 : limitForFile
        // Retains the operation, which no connection retains any more.
        let timer = Timer(fire: Date() + limit, interval: 0, repeats: false) { _ in
            self.endIfSettled()
            self.endHeld(isLate: true)
        }
        body.heldEnd?.timer = timer
        for mode in runLoopModes { RunLoop.current.add(timer, forMode: mode) }
    }

    /// Seconds in which a file has to take at least one byte after the response has ended.
    private var limitForFile: TimeInterval {
        request.timeoutInterval > 0 ? request.timeoutInterval : 60
    }

    private func endIfSettled() {
        guard let body = responseBody, let held = body.heldEnd else { return }
        let isCancelled = read(\.machine.isCancelled)
        let keepsAll = held.failure == nil && !isCancelled
        if body.settle(isCancelled: isCancelled, keepsAll: keepsAll) { return endHeld() }
        if keepsAll { held.timer?.fireDate = Date() + limitForFile }
    }

    /// - Parameter isLate: the file was not written in time.
    private func endHeld(isLate: Bool = false) {
        guard let body = responseBody, let held = body.heldEnd else { return }
        held.timer?.invalidate()
        if let count = try? body.flush(), count > 0 {
            didStore(Int64(count), total: body.storedCount)
        }
        end(with: held.failure ?? (isLate ? lateError : nil), after: held.connection)
    }

    private var lateError: URLError {
        URLError(
            .timedOut, url: request.url,
            text: "The output stream took no bytes of the body for the timeoutInterval.")
    }

    private func end(with failure: (any Error)?, after ended: URLConnection?) {
        let failure = failure ?? responseBody?.failure
        let data = responseBody?.finish()
        let isStreamLeft = responseBody?.isStreamLeft == true
        connection = nil
        responseBody = nil
        var stream: OutputStream?
        send {
            guard state != .finished else { return .none }
            if !guarded.machine.isMakingObject { keepTimes(of: ended) }
            let actions = guarded.machine.ended(
                failure == nil ? .success : .failure,
                isObjectFirst: guarded.rare?.resultOrder.isObjectFirst == true)
            // Its object is being made, or it was never started.
            if actions == .none { return .none }
            let error = guarded.machine.isCancelled ? guarded.cancelError : failure
            result = OperationResult(error: error, responseData: error == nil ? data : nil)
            if let rare = guarded.rare {
                stream = rare.streamInUse
                // A memory stream's bytes are in `data`; a stream in a call that blocks belongs to its own thread.
                if data != nil || isStreamLeft, rare.outputStream === stream {
                    rare.outputStream = nil
                }
                rare.streamInUse = nil
            }
            if actions.end != nil { reportMissedFirst() }
            return actions
        }
        // It may be the caller's: released without the lock.
        withExtendedLifetime(stream) {}
    }
}

// MARK: - Response and bytes

extension URLConnectionOperation {
    /// Keeps the response; after a pause, judges whether it continues the part.
    func receive(_ response: URLResponse, from connection: URLConnection) {
        let verdict = resumption.judge(response)
        if verdict != .complete {
            // A 416 that means "complete" does not replace the response of the bytes.
            write {
                let old = $0.response
                $0.response = response
                $0.rare?.responseString = nil
                return old
            }
        }
        notifyObserver { $0.request($1, didReceive: response) }
        switch verdict {
        case .append:
            break
        case .startOver(let isSameEntity):
            guard startOver(isSameEntity: isSameEntity) else { return }
        case .complete:
            connection.cancel()
            return complete(with: nil)
        case .refuse(let reason):
            return stop(refusing: reason)
        }
        responseBody?.begin(response)
        reportedBytes.beginReceiving(at: bytesStored.load(ordering: .relaxed))
    }

    func noteSent(_ count: Int64, upTo total: Int64, of expected: Int64) {
        let (block, streams) = lock.withLock {
            (guarded.blocks.uploadProgress, guarded.blocks.uploadStreams)
        }
        reportedBytes.noteSent(count, upTo: total, of: expected)
        streams?.yield(OperationProgress(total, of: expected))
        if let block { reportSent(block) }
        notifyObserver { $0.request($1, didSendBodyBytes: count) }
    }

    func finishLoading() {
        guard let body = responseBody else { return }
        if body.isBehind {
            stop(refusing: "The server's file is shorter than the part that is there.")
        } else {
            complete(with: resumption.shortfall(stored: body.storedCount, url: request.url))
        }
    }

    /// Answers a challenge by the policy and the credential.
    func answer(_ challenge: URLAuthenticationChallenge, of connection: URLConnection) {
        ChallengeResponse(
            space: challenge.protectionSpace, asked: connection.originalRequest.url,
            policy: read(\.sharedSettings).policyInUse, credential: credential,
            previousFailureCount: challenge.previousFailureCount
        ).answer(challenge)
    }

    /// The body as text, made once.
    func bodyText() -> String? {
        let (cached, data, response) = lock.withLock {
            (guarded.rare?.responseString, result.responseData, guarded.response)
        }
        if let cached { return cached }
        guard let data, let response else { return nil }
        let text = TextEncoding.string(data, TextEncoding.encoding(of: response))
        replaceRare(\.responseString, by: text)
        return text
    }

    /// In `deinit`.
    func closeStreams() {
        let stream = guarded.rare?.outputStream
        let isOurs = responseBody?.close(stream) == true
        // A memory stream that was read but never opened needs no closing.
        if !isOurs, let stream, stream.streamStatus != .notOpen {
            stream.close()
        }
    }

    private func startOver(isSameEntity: Bool) -> Bool {
        guard responseBody?.startOver(isSameEntity: isSameEntity) != false else {
            stop(refusing: "The response does not continue the part that the stream already has.")
            return false
        }
        bytesStored.store(responseBody?.storedCount ?? 0, ordering: .relaxed)
        return true
    }

    /// Stores bytes; a failed write ends the operation with the stream's error.
    func store(_ action: (ResponseBody) throws -> Int) {
        guard let body = responseBody else { return }
        do {
            let count = Int64(try action(body))
            if count > 0 { didStore(count, total: body.storedCount) }
        } catch {
            connection?.cancel()
            complete(with: (error as? LoadLimitError)?.urlError(request.url) ?? error)
        }
    }

    private func didStore(_ count: Int64, total: Int64) {
        bytesStored.store(total, ordering: .relaxed)
        notifyObserver { $0.request($1, didReceiveBytes: count) }
        guard reportsBytes.load(ordering: .relaxed) else { return }
        let (block, streams, expected) = lock.withLock {
            let blocks = guarded.blocks
            return (
                blocks.downloadProgress, blocks.downloadStreams, guarded.expectedContentLength
            )
        }
        guard block != nil || streams != nil else { return }
        let whole = resumption.whole(announced: expected)
        streams?.yield(OperationProgress(total, of: whole))
        if let block { report(block, reportedBytes.takeReceived(upTo: total), total, whole) }
    }

    private func reportSent(_ block: @escaping Blocks.Progress) {
        let count = reportedBytes.takeSent()
        if count > 0 { report(block, count, reportedBytes.sent, reportedBytes.toSend) }
    }

    /// Adds hooks that call progress blocks before the end, for bytes that were not reported. The lock is held.
    func reportMissedFirst() {
        let blocks = guarded.blocks
        var calls: [@Sendable () -> Void] = []
        if let block = blocks.uploadProgress {
            let count = reportedBytes.takeSent()
            let (sent, toSend) = (reportedBytes.sent, reportedBytes.toSend)
            if count > 0 { calls.append { self.report(block, count, sent, toSend) } }
        }
        if let block = blocks.downloadProgress, guarded.response != nil {
            let total = bytesStored.load(ordering: .relaxed)
            let count = reportedBytes.takeReceived(upTo: total)
            let whole = resumption.whole(announced: guarded.expectedContentLength)
            if count > 0 { calls.append { self.report(block, count, total, whole) } }
        }
        if !calls.isEmpty { guarded.rareValues.finishHooks.insert(contentsOf: calls, at: 0) }
    }

    func stop(refusing reason: String) {
        connection?.cancel()
        var info: [String: Any] = [NSLocalizedDescriptionKey: reason]
        info[NSURLErrorFailingURLErrorKey] = request.url
        complete(with: URLError(.badServerResponse, described: info))
    }
}

// MARK: - Delegate calls with an answer

// An operation answers at once, with the methods of NSURLConnection's delegate, which a subclass overrides. These four
// are in an extension, so that a subclass cannot override them: its methods would not be called.
extension URLConnectionOperation {
    /// What `connection(_:willSend:redirectResponse:)` returns.
    public func connection(
        _ connection: URLConnection, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) -> URLConnection.Answer<URLRequest?> {
        .now(self.connection(connection, willSend: request, redirectResponse: response))
    }

    /// What `connection(_:needNewBodyStream:)` returns.
    public func connection(
        _ connection: URLConnection, newBodyStreamFor request: URLRequest
    ) -> URLConnection.Answer<InputStream?> {
        .now(self.connection(connection, needNewBodyStream: request))
    }

    /// Calls `connection(_:didReceive:)`, and goes on.
    public func connection(
        _ connection: URLConnection, dispositionAfter response: URLResponse
    ) -> URLConnection.Answer<URLConnection.ResponseDisposition> {
        self.connection(connection, didReceive: response)
        return .now(.allow)
    }

    /// What `connection(_:willCacheResponse:)` returns.
    public func connection(
        _ connection: URLConnection, willStore cachedResponse: CachedURLResponse
    ) -> URLConnection.Answer<CachedURLResponse?> {
        .now(self.connection(connection, willCacheResponse: cachedResponse))
    }
}
