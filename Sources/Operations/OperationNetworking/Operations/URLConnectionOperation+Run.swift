import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics
import Scheduling
import Synchronization

// What an operation does on the network thread: its runs, the bytes they bring, the end.

extension URLConnectionOperation {
    func begin(_ run: Int32) {
        // A resume while an end waits for the file begins nothing: the result is there.
        guard responseBody?.heldEnd == nil else { return }
        let start: Start? = lock.withLock {
            runThread.assertIsCurrent()
            // A resume while the object is made begins nothing: the result is there.
            guard run == guarded.run, state == .executing, !guarded.isMakingObject else {
                return nil
            }
            post(guarded.notifications.start())
            guard !guarded.circumstances.isCancelled else { return nil }
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
        tellObserver { $0.requestDidStart($1) }
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
        toldBytes.beginSending()
        toldBytes.beginReceiving(at: bytesStored.load(ordering: .relaxed))
        body.open()
        followReader()
        waiting.store(Waiting.nothing, ordering: .relaxed)
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

    /// Has the connection rest while the reader of the body is behind. For the network thread.
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
    func interrupt(_ run: Int32) {
        guard connection != nil, runOfConnection == run, state != .finished else { return }
        connection?.cancel()
        waiting.store(Waiting.nothing, ordering: .relaxed)
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
        let isCancelled = read(\.circumstances.isCancelled)
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
        let isCancelled = read(\.circumstances.isCancelled)
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
            if !guarded.isMakingObject { keepTimes(of: ended) }
            let error = guarded.circumstances.isCancelled ? cancelError : failure
            result = OperationResult(error: error, responseData: error == nil ? data : nil)
            // A memory stream has given its bytes; a stream whose call waits belongs to its thread.
            if data != nil || isStreamLeft, guarded.outputStream === guarded.streamInUse {
                guarded.outputStream = nil
            }
            guarded.streamInUse = nil
            if error == nil, guarded.resultOrder.isObjectFirst {
                makeObjectThenFinish()
            } else {
                finish()
            }
        }
    }

    /// Has a dependent operation find the object: the end is announced when it was made. Any other end that
    /// comes meanwhile, as by a cancel, counts. The lock is held.
    private func makeObjectThenFinish() {
        guarded.isMakingObject = true
        let (thread, modes) = (runThread, guarded.settings.runLoopModes)
        let make = { @Sendable in
            self.makeObject()
            let end = { @Sendable in self.lock.withLock { self.finish() } }
            if thread.enqueue(alsoIn: modes, end) { thread.wakeUp() }
        }
        if let line = guarded.resultOrder.line {
            thread.tell(on: line, inModes: modes, make)
        } else {
            thread.process(inModes: modes, make)
        }
    }

    /// Announces the end and hands over the blocks. The lock is held.
    private func finish() {
        guard state != .finished else { return }
        guarded.isMakingObject = false
        if guarded.circumstances.isCancelled, result.error == nil {
            result = OperationResult(error: cancelError)
        }
        tellOfMissed()
        apply(.complete)
        tellObserverOfEnd()
        let notification = guarded.notifications.finish()
        if let completion = guarded.completion {
            post(notification)
            handOver(completion)
        } else if guarded.blocks.metrics != nil {
            post(notification)
            handOver(.block({}), named: .metrics)
        } else {
            post(notification) { self.letGo() }
        }
    }
}

// MARK: - What a run brings

extension URLConnectionOperation {
    func startOver(isSameEntity: Bool) -> Bool {
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
        tellObserver { $0.request($1, didReceiveBytes: count) }
        guard mayTellOfBytes.load(ordering: .relaxed) else { return }
        let (block, streams, expected) = lock.withLock {
            let blocks = guarded.blocks
            return (
                blocks.downloadProgress, blocks.downloadStreams, guarded.expectedContentLength
            )
        }
        guard block != nil || streams != nil else { return }
        let whole = resumption.whole(announced: expected)
        streams?.tell(OperationProgress(total, of: whole))
        if let block { tell(block, toldBytes.takeReceived(upTo: total), total, whole) }
    }

    func tellOfSent(_ block: @escaping Blocks.Progress) {
        let count = toldBytes.takeSent()
        if count > 0 { tell(block, count, toldBytes.sent, toldBytes.toSend) }
    }

    /// Calls progress blocks that were set after the last piece. The lock is held; they are called on main.
    private func tellOfMissed() {
        let blocks = guarded.blocks
        if let block = blocks.uploadProgress { tellOfSent(block) }
        guard let block = blocks.downloadProgress, guarded.response != nil else { return }
        let total = bytesStored.load(ordering: .relaxed)
        let count = toldBytes.takeReceived(upTo: total)
        guard count > 0 else { return }
        tell(block, count, total, resumption.whole(announced: guarded.expectedContentLength))
    }

    func stop(refusing reason: String) {
        connection?.cancel()
        var info: [String: Any] = [NSLocalizedDescriptionKey: reason]
        info[NSURLErrorFailingURLErrorKey] = request.url
        complete(with: URLError(.badServerResponse, described: info))
    }
}
