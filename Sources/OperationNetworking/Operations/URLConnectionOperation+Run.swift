import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics
import Synchronization

// What an operation does on the network thread: its runs, the bytes they bring, the end.

extension URLConnectionOperation {
    func begin(_ run: Int) {
        let start: Start? = lock.withLock {
            runThread.assertIsCurrent()
            guard run == guarded.run, state == .executing else { return nil }
            post(guarded.notifications.start())
            guard !guarded.circumstances.isCancelled else { return nil }
            if responseBody == nil {
                guarded.streamInUse = guarded.outputStream
            }
            return Start(
                settings: guarded.sharedSettings, stream: guarded.streamInUse,
                request: guarded.request,
                requestBeforePause: guarded.requestBeforePause, name: guarded.traceName)
        }
        guard let start else { return }
        let (settings, stream) = (start.settings.value, start.stream)
        let body = responseBody ?? ResponseBody(stream, limit: settings.configuration.limits)
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
        for mode in settings.runLoopModes {
            connection.schedule(in: .current, forMode: mode)
        }
        connection.timeoutIntervalForResource = settings.timeoutIntervalForResource
        connection.trustRequirements = settings.policyInUse.requirements
        connection.configuration = settings.connectionConfiguration(writingTo: stream)
        connection.number = number
        connection.name = start.name
        connection.isResponseStreamed = stream != nil
        if settings.runLoopModes == .commonModes { connection.pass = runThread.pass }
        self.connection = connection
        runOfConnection = run
        body.open()
        connection.startAtOnce()
    }

    /// The settings of a run, read at its start.
    private struct Start {
        let settings: Shared<OperationSettings>
        let stream: OutputStream?
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
    func interrupt(_ run: Int) {
        guard connection != nil, runOfConnection == run, state != .finished else { return }
        connection?.cancel()
        lock.withLock { keepTimes(of: connection) }
        connection = nil
    }

    func abort() {
        connection?.cancel()
        complete(with: cancelError)
    }

    /// Ends the operation, once: stores the result, announces the state, hands over the blocks. A
    /// cancel that came before wins over any result (wound 28).
    func complete(with failure: (any Error)?) {
        let failure = failure ?? responseBody?.failure
        let data = responseBody?.finish()
        let isStreamLeft = responseBody?.isStreamLeft == true
        let ended = connection
        connection = nil
        responseBody = nil
        lock.withLock {
            guard state != .finished else { return }
            keepTimes(of: ended)
            let error = guarded.circumstances.isCancelled ? cancelError : failure
            result = OperationResult(error: error, responseData: error == nil ? data : nil)
            // A memory stream has given its bytes; a stream whose call waits belongs to its thread.
            if data != nil || isStreamLeft, guarded.outputStream === guarded.streamInUse {
                guarded.outputStream = nil
            }
            guarded.streamInUse = nil
            apply(.complete)
            let notification = guarded.notifications.finish()
            if let completion = guarded.completion {
                post(notification)
                handOver(completion, isOurs: guarded.isCompletionOurs)
            } else if guarded.blocks.metrics != nil {
                post(notification)
                handOver({}, isOurs: false, named: .metrics)
            } else {
                post(notification) { self.letGo() }
            }
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
        } catch {
            connection?.cancel()
            complete(with: (error as? LoadLimitError)?.urlError(request.url) ?? error)
        }
    }

    private func didStore(_ count: Int64, total: Int64) {
        bytesStored.store(total, ordering: .relaxed)
        guard mayTellOfBytes.load(ordering: .relaxed) else { return }
        let told = lock.withLock {
            guarded.blocks.downloadProgress.map { ($0, guarded.expectedContentLength) }
        }
        guard let (block, expected) = told else { return }
        tell(block, count, total, resumption.whole(announced: expected))
    }

    func stop(refusing reason: String) {
        connection?.cancel()
        var info: [String: Any] = [NSLocalizedDescriptionKey: reason]
        info[NSURLErrorFailingURLErrorKey] = request.url
        complete(with: URLError(.badServerResponse, described: info))
    }
}
