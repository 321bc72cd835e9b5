import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics
import Scheduling
import Synchronization

// What an operation does on the network thread: its runs, the bytes they bring, the end.

extension URLConnectionOperation {
    func begin(_ run: OperationMachine.Run) {
        // A resume while an end waits for the file begins nothing: the result is there.
        guard responseBody?.heldEnd == nil else { return }
        let start: Start? = lock.withLock {
            runThread.assertIsCurrent()
            let actions = guarded.machine.began(run)
            perform(actions)
            guard actions.connects else { return nil }
            if responseBody == nil {
                guarded.streamInUse = guarded.outputStream
            }
            return Start(
                settings: guarded.sharedSettings, stream: guarded.streamInUse,
                reader: guarded.reader, request: guarded.request,
                requestBeforePause: guarded.requestBeforePause, name: guarded.traceName)
        }
        guard let start else { return }
        let (settings, stream) = (start.settings.value, start.stream)
        observedManager = settings.observedManager
        notifyObserver { $0.requestDidStart($1) }
        let body =
            responseBody
            ?? ResponseBody(
                stream, reader: start.reader, limit: settings.configuration.limits,
                moved: streamWaker(settings.runLoopModes))
        responseBody = body
        body.forgetUnstored()
        let connection: URLConnection
        do {
            try runThread.requireLoop(for: start.request.url)
            try settings.policyInUse.mayAsk(start.request.url)
            let request = try ReplayedBody.fresh(nextRequest(start, stored: body.placedCount))
            connection = URLConnection(request: request, delegate: self, startImmediately: false)
        } catch {
            return complete(with: error)
        }
        connection.schedule(in: .current, forModes: settings.runLoopModes)
        connection.timeoutIntervalForResource = settings.timeoutIntervalForResource
        connection.trustRequirements = settings.policyInUse.requirements
        connection.configuration = settings.connectionConfiguration(writingTo: stream)
        connection.number = number
        connection.priority = TransferPriority(queuePriority)
        connection.name = start.name
        connection.isResponseStreamed = stream != nil || start.reader != nil
        if settings.runLoopModes == .commonModes { connection.pass = runThread.pass }
        self.connection = connection
        runOfConnection = run
        reportedBytes.beginSending()
        reportedBytes.beginReceiving(at: bytesStored.load(ordering: .relaxed))
        body.open()
        followReader()
        note(nil)
        connection.startAtOnce()
    }

    /// Has the network thread count what a stream of a file has taken, and go on.
    private func streamWaker(_ modes: Set<RunLoop.Mode>) -> @Sendable () -> Void {
        let thread = runThread
        return { [weak self] in
            let count = { @Sendable [weak self] in
                guard let self, self.responseBody != nil else { return }
                self.store { try $0.flush() }
                self.connection?.consumerTook()
                self.endIfSettled()
            }
            if thread.enqueue(alsoIn: modes, count) { thread.wakeUp() }
        }
    }

    /// Suspends the connection while the reader of the body is behind. For the network thread.
    func followReader() {
        guard let connection, let reader = responseBody?.reader else { return }
        if reader.isFull { connection.suspend() } else { connection.resume() }
    }

    /// The settings of a run, read at its start.
    private struct Start {
        let settings: Shared<OperationSettings>
        let stream: OutputStream?
        let reader: BodyChannel?
        let request: URLRequest
        let requestBeforePause: URLRequest?
        /// What a recording calls the request; none where none sees it.
        let name: EventText
    }

    /// The request of a run. Where a pause wrote a range into it (HO-13), the range is made exact.
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

    /// Stops a run, not one that follows it.
    func interrupt(_ run: OperationMachine.Run) {
        guard connection != nil, runOfConnection == run, state != .finished else { return }
        connection?.cancel()
        note(nil)
        lock.withLock { keepTimes(of: connection) }
        connection = nil
    }

    func abort() {
        connection?.cancel()
        complete(with: read(\.failureBeforeStart) ?? cancelError)
    }

    /// Ends the operation, once: stores the result, announces the state, hands over the blocks. A
    /// cancel that came before wins over any result (wound 28).
    ///
    /// An output stream's file gets the bytes before the end first, and is closed. Where a disk does not answer, the
    /// end waits for the `timeoutInterval` after the last byte, and after a cancel for a second.
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
        // Holds the operation, which no connection holds any more.
        let timer = Timer(fire: Date() + limit, interval: 0, repeats: false) { _ in
            self.endIfSettled()
            self.endHeld(isLate: true)
        }
        body.heldEnd?.timer = timer
        for mode in runLoopModes { RunLoop.current.add(timer, forMode: mode) }
    }

    /// How long a file may take no byte of a response that has ended.
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

    /// - Parameter isLate: the file has not taken everything in time.
    private func endHeld(isLate: Bool = false) {
        guard let body = responseBody, let held = body.heldEnd else { return }
        held.timer?.invalidate()
        if let count = try? body.flush(), count > 0 {
            didStore(Int64(count), total: body.storedCount)
        }
        let late = URLError(
            .timedOut, url: request.url,
            text: "The output stream took no bytes of the body for the timeoutInterval.")
        end(with: held.failure ?? (isLate ? late : nil), after: held.connection)
    }

    private func end(with failure: (any Error)?, after ended: URLConnection?) {
        let failure = failure ?? responseBody?.failure
        let data = responseBody?.finish()
        let isStreamLeft = responseBody?.isStreamLeft == true
        connection = nil
        responseBody = nil
        lock.withLock {
            guard state != .finished else { return }
            if !guarded.machine.isMakingObject { keepTimes(of: ended) }
            let actions = guarded.machine.ended(
                failure == nil ? .success : .failure,
                isObjectFirst: guarded.resultOrder.isObjectFirst)
            // It is not over: its object is being made, or it was never started.
            if actions == .none { return }
            let error = guarded.machine.isCancelled ? cancelError : failure
            result = OperationResult(error: error, responseData: error == nil ? data : nil)
            // A memory stream has given its bytes; a stream whose call waits belongs to its thread.
            if data != nil || isStreamLeft, guarded.outputStream === guarded.streamInUse {
                guarded.outputStream = nil
            }
            guarded.streamInUse = nil
            perform(actions)
        }
    }
}

// MARK: - What a run brings

extension URLConnectionOperation {
    /// Keeps the response; after a pause, judges whether it continues the part.
    func receive(_ response: URLResponse, from connection: URLConnection) {
        let verdict = resumption.judge(response)
        if verdict != .complete {
            // A response that says "there is no more" is not the one that brought the bytes.
            write {
                let old = $0.response
                $0.response = response
                $0.responseString = nil
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
            complete(with: nil)
        case .refuse(let reason):
            stop(refusing: reason)
        }
        responseBody?.begin(response)
        reportedBytes.beginReceiving(at: bytesStored.load(ordering: .relaxed))
    }

    /// Bytes of the request's body were sent.
    func noteSent(_ count: Int64, upTo total: Int64, of expected: Int64) {
        let (block, streams) = lock.withLock {
            (guarded.blocks.uploadProgress, guarded.blocks.uploadStreams)
        }
        reportedBytes.noteSent(count, upTo: total, of: expected)
        streams?.tell(OperationProgress(total, of: expected))
        if let block { reportSent(block) }
        notifyObserver { $0.request($1, didSendBodyBytes: count) }
    }

    /// Everything has come.
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
            policy: read(\.settings.policyInUse), credential: credential,
            previousFailureCount: challenge.previousFailureCount
        ).answer(challenge)
    }

    /// The body as text, made once.
    func bodyText() -> String? {
        let (cached, data, response) = lock.withLock {
            (guarded.responseString, result.responseData, guarded.response)
        }
        if let cached { return cached }
        guard let data, let response else { return nil }
        let text = TextEncoding.string(data, TextEncoding.encoding(of: response))
        replace(\.responseString, by: text)
        return text
    }

    /// Nobody has the operation any more.
    func closeStreams() {
        let isOurs = responseBody?.close(guarded.outputStream) == true
        // A memory stream that was read but never opened needs no closing.
        if !isOurs, let stream = guarded.outputStream, stream.streamStatus != .notOpen {
            stream.close()
        }
    }

    private func startOver(isSameEntity: Bool) -> Bool {
        guard responseBody?.startOver(isSameEntity: isSameEntity) != false else {
            stop(refusing: "The answer cannot be joined to the part that the stream holds already.")
            return false
        }
        bytesStored.store(responseBody?.storedCount ?? 0, ordering: .relaxed)
        return true
    }

    /// Stores bytes; a failed write ends the operation with the stream's error (wound 10).
    func store(_ action: (ResponseBody) throws -> Int) {
        guard let body = responseBody else { return }
        do {
            let count = Int64(try action(body))
            if count > 0 { didStore(count, total: body.storedCount) }
            followReader()
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
        streams?.tell(OperationProgress(total, of: whole))
        if let block { report(block, reportedBytes.takeReceived(upTo: total), total, whole) }
    }

    private func reportSent(_ block: @escaping Blocks.Progress) {
        let count = reportedBytes.takeSent()
        if count > 0 { report(block, count, reportedBytes.sent, reportedBytes.toSend) }
    }

    /// Calls progress blocks that were set after the last piece. The lock is held; they are called on main.
    func reportMissed() {
        let blocks = guarded.blocks
        if let block = blocks.uploadProgress { reportSent(block) }
        guard let block = blocks.downloadProgress, guarded.response != nil else { return }
        let total = bytesStored.load(ordering: .relaxed)
        let count = reportedBytes.takeReceived(upTo: total)
        guard count > 0 else { return }
        report(block, count, total, resumption.whole(announced: guarded.expectedContentLength))
    }

    func stop(refusing reason: String) {
        connection?.cancel()
        var info: [String: Any] = [NSLocalizedDescriptionKey: reason]
        info[NSURLErrorFailingURLErrorKey] = request.url
        complete(with: URLError(.badServerResponse, described: info))
    }
}

/// Up to which byte an operation has called its progress blocks; a caller may set one after the first bytes.
///
/// The original read the block on main, so a block that main set right after it had enqueued the operation was called
/// for every piece (PR-1). Here the next call, or one at the end, counts the bytes from before the block was set.
struct ReportedBytes {
    /// How many bytes of the request's body were sent, and how many it has, as the connection reported last.
    private(set) var sent: Int64 = 0
    private(set) var toSend: Int64 = -1
    private var reportedSent: Int64 = 0
    private var reportedReceived: Int64 = 0

    /// A run begins to send.
    mutating func beginSending() {
        (sent, reportedSent) = (0, 0)
    }

    /// A response begins behind so many bytes of an earlier one.
    mutating func beginReceiving(at stored: Int64) {
        reportedReceived = stored
    }

    /// - Parameter count: of the piece; a body that is sent again begins a new total.
    mutating func noteSent(_ count: Int64, upTo total: Int64, of expected: Int64) {
        if total - count < sent { reportedSent = total - count }
        (sent, toSend) = (total, expected)
    }

    /// The bytes of the request's body that were sent since the last call.
    mutating func takeSent() -> Int64 {
        defer { reportedSent = sent }
        return sent - reportedSent
    }

    /// The bytes of the response's body that were stored since the last call, up to a total.
    mutating func takeReceived(upTo total: Int64) -> Int64 {
        defer { reportedReceived = total }
        return max(0, total - reportedReceived)
    }
}
