import CLinux
import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking

/// The steps of a download: look for an existing file and part, try, perhaps retry, rename the part.
///
/// ## Concurrency
/// Call from: the download's queue `disk`; every step may wait for the disk. Lock: none. Calls out on: `disk`
/// (`prepare`); other blocks are called by the operation.
final class DownloadRun: @unchecked Sendable {
    // @unchecked because only blocks of the queue `disk` use it.
    let operation: FileDownloadOperation
    private let prepare: @Sendable (URLConnectionOperation) -> Void
    let part: PartFile
    /// The try under way.
    private(set) var current: DownloadTry?
    // Set by the first connection's configuration, for all tries.
    private var clock = NetworkClock.system
    /// Nil until the first connection.
    private var began: NetworkClock.Instant?
    /// Seconds of waits before the first connection.
    private var waited: TimeInterval = 0
    private var policy: RetryPolicy?
    /// Seconds for all tries; nil for no limit.
    private var limit: TimeInterval?
    /// The idempotency key and its header field, if the policy needs one.
    private var key: (field: String, value: String)?
    private var expectedHash: String?
    private var existing: ExistingFile?
    /// The number of the wait for the next try; nil during a try.
    private var waitingFor: Int?
    private var alarm: ClockAlarm?
    private var number = 0
    /// Whether the download has started over because the file on the server had changed.
    private var hasStartedOver = false
    /// Whether the server has refused no further connection so far.
    private var allowsFurther = true

    init(
        _ operation: FileDownloadOperation,
        _ prepare: @escaping @Sendable (URLConnectionOperation) -> Void
    ) {
        self.operation = operation
        self.prepare = prepare
        let place = DownloadPlace(path: operation.destination.path)
        let address = operation.request.url.map(DownloadRecord.address) ?? ""
        part =
            operation.output.map { PartPipe($0, place, address: address) }
            ?? PartFile(
                place, address: address,
                mayReplace: operation.options.existingFile == .replace
                    && operation.options.refreshedState == nil,
                isSyncedLater: operation.options.isSyncedLater)
        if let delays = operation.options.originDelays { clock = delays.clock }
    }

    private var options: DownloadOptions { operation.options }
    /// Only the response to a GET can be continued.
    private var isGet: Bool { operation.request.httpMethod ?? "GET" == "GET" }
    private var mayReplace: Bool { options.existingFile == .replace }

    func begin() {
        do {
            try checkCancelled()
            guard operation.destination.isFileURL, !operation.destination.hasDirectoryPath else {
                throw DownloadError.unusable("The destination must be the file URL of a file.")
            }
            expectedHash = try options.hash()
            if !mayReplace, operation.output == nil, let file = try acceptedFile() {
                return end(.success(file))
            }
            if options.continuesPart, isGet, operation.output == nil {
                // If the hash is known, a part from another URL may be continued.
                try part.open(anyAddress: expectedHash != nil) { operation.isCancelled }
            }
            try attempt()
        } catch {
            end(.failure(error))
        }
    }

    /// The file at the destination, if it need not be downloaded. Any other one is compared with the download later.
    private func acceptedFile() throws -> DownloadedFile? {
        let path = part.place.path
        let found = try ExistingFile(path: path, address: part.address) { operation.isCancelled }
        guard let found else { return nil }
        if let expectedHash, found.sha256 != expectedHash {
            throw DownloadError.otherFile(
                path: path, length: found.length,
                expectedLength: options.expectedLength ?? found.length)
        }
        if let length = options.expectedLength, found.length != length {
            throw DownloadError.otherFile(
                path: path, length: found.length, expectedLength: length)
        }
        if let sum = options.otherSum {
            guard try sum.isSum(of: path, isCancelled: { operation.isCancelled }) else {
                throw DownloadError.otherFile(
                    path: path, length: found.length, expectedLength: found.length)
            }
        }
        guard found.isOurs || expectedHash != nil || options.otherSum != nil else {
            existing = found
            return nil
        }
        if access(part.place.part, F_OK) != 0, DownloadRecord(part.place) != nil {
            DownloadRecord.remove(part.place)
        }
        operation.report {
            $0.stored = found.length; $0.total = found.length
        }
        return DownloadedFile(
            url: operation.destination, length: found.length, sha256: found.sha256,
            resumedFrom: found.length, receivedLength: 0, wasThere: true)
    }

    private func attempt() throws {
        try checkCancelled()
        // Another download may have got a `Retry-After`.
        if let delay = options.originDelays?.delay(of: operation.request.url), delay > 0 {
            if let remaining, delay >= remaining { throw URLError(.timedOut) }
            return wait(delay)
        }
        let attempt = DownloadTry(
            self,
            DownloadTry.Goal(
                expectation: PartVerdict.Expectation(
                    place: part.place, address: part.address, length: options.expectedLength,
                    existing: existing, isAsSent: !options.isCompressed),
                mayContinue: isGet,
                width: isGet && allowsFurther && operation.output == nil ? options.width : 1,
                minimum: options.minimumSegmentLength, watchTime: options.watchTime))
        current = attempt
        do {
            try attempt.start()
        } catch {
            current = nil
            throw error
        }
        watchSpeed()
    }

    /// A connection for a try, with the caller's settings.
    ///
    /// - Throws: `URLError.timedOut` if the time limit is over.
    func transfer(_ task: PartTransfer.Task) throws -> PartTransfer {
        let transfer = PartTransfer(operation.request, task)
        prepare(transfer)
        if began == nil { adopt(transfer) }
        transfer.configuration.responseCache = nil
        if !options.isCompressed { transfer.configuration.decodesContent = false }
        // The download itself retries.
        transfer.configuration.retryPolicy = nil
        if let key { transfer.request.setValue(key.value, forHTTPHeaderField: key.field) }
        transfer.queuePriority = operation.queuePriority
        let remaining = remaining
        if let remaining, remaining <= 0 { throw URLError(.timedOut) }
        transfer.completionGroup = nil
        transfer.completionQueue = operation.disk
        transfer.timeoutIntervalForResource = remaining
        return transfer
    }

    /// Takes the settings of the first connection that apply to the whole download.
    private func adopt(_ transfer: PartTransfer) {
        clock = transfer.configuration.clock
        began = clock.now.advanced(by: .seconds(-waited))
        // A connection's limit of 0 or less is none.
        let ofConnection = transfer.timeoutIntervalForResource.flatMap { $0 > 0 ? $0 : nil }
        limit = [options.timeout, ofConnection].compactMap { $0 }.min()
        policy = options.policy(or: transfer.configuration.retryPolicy)
        policy?.budget?.add()
        guard let policy, let field = policy.idempotencyKeyField,
            !policy.mayRepeat(operation.request.httpMethod ?? "GET", hasKey: false)
        else { return }
        let value = operation.request.value(forHTTPHeaderField: field)
        key = (field, value ?? UUID().uuidString)
    }

    /// Fails the current try as soon as it is too slow.
    private func watchSpeed() {
        guard let least = options.leastSpeed else { return }
        let (tries, before) = (operation.progress.attempts, operation.progress.received)
        clock.wakeUp(after: least.seconds, on: operation.disk) { [weak self] in
            guard let self, let current, operation.progress.attempts == tries else { return }
            if operation.progress.received - before < least.bytes {
                current.fail(URLError(.timedOut))
            } else {
                watchSpeed()
            }
        }
    }

    /// Calls `measured` of the current try later.
    func measure(_ number: Int, for seconds: TimeInterval) {
        clock.wakeUp(after: seconds, on: operation.disk) { [self] in current?.measured(number) }
    }

    func nextNumber() -> Int {
        number += 1
        return number
    }

    // MARK: - The end of a try

    /// - Parameter failure: nil if all bytes are stored.
    func ended(_ failure: DownloadTry.Failure?) {
        current = nil
        if let failure { return fail(failure) }
        do {
            try part.extendHash(.max) { operation.isCancelled }
            try checkLength(operation.progress.total)
            if let sum = options.otherSum {
                try part.check(sum) { operation.isCancelled }
            }
            try publish()
        } catch {
            fail(DownloadTry.Failure(error: error))
        }
    }

    private func checkLength(_ total: Int64?) throws {
        let stored = part.stored
        for length in [total, options.expectedLength].compactMap({ $0 }) where length != stored {
            // A file that is too long cannot be continued.
            if stored > length { part.dropRecord() }
            throw DownloadError.wrongLength(expected: length, received: stored)
        }
    }

    private func publish() throws {
        try checkRefreshedFile()
        try checkContent()
        let resumedFrom = operation.progress.resumedFrom ?? 0
        let digest = try part.publish(
            expected: expectedHash, existing: existing, mayReplace: mayReplace)
        let received = operation.progress.received
        end(
            .success(
                DownloadedFile(
                    url: operation.destination, length: part.stored, sha256: digest,
                    resumedFrom: resumedFrom, receivedLength: received, wasThere: existing != nil)))
    }

    /// The file that a refresh replaces may have been changed since the download was made.
    private func checkRefreshedFile() throws {
        guard let state = options.refreshedState else { return }
        let path = part.place.path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard FileOrigin.state(of: descriptor) == state else {
            throw DownloadError.otherFile(
                path: path, length: cfile_status_of(descriptor).size, expectedLength: part.stored)
        }
    }

    /// A response without content replaces no file.
    private func checkContent() throws {
        guard mayReplace, operation.output == nil, operation.response?.statusCode == 204,
            access(part.place.path, F_OK) == 0
        else { return }
        part.discard()
        throw DownloadError.status(204)
    }

    private func fail(_ failure: DownloadTry.Failure) {
        let error = failure.error
        if failure.isRefusalOfMore { allowsFurther = false }
        // A body stream cannot be read again.
        let isFinal = operation.isCancelled || operation.request.httpBodyStream != nil
        if isFinal { return end(.failure(error)) }
        if case DownloadError.changed = error {
            guard part.mayStartOver else { return end(.failure(error)) }
            // Only once, since a file may change all the time.
            if !hasStartedOver {
                hasStartedOver = true
                return attemptOrEnd()
            }
        }
        let cause = failure.cause
        guard let policy, let cause else { return end(.failure(error)) }
        let field = failure.response?.retryAfter
        share(cause, field, by: policy)
        // The process may end before the next try.
        try? part.save()
        let failed = FailedAttempt(
            number: operation.progress.attempts - (hasStartedOver ? 1 : 0),
            method: operation.request.httpMethod ?? "GET",
            hasKey: key != nil, cause: cause, retryAfter: field, rest: remaining)
        let outcome = policy.decide(failed, now: clock.date)
        let decision = RetryDecision(attempt: failed.number, cause: cause, outcome: outcome)
        // The timer first: the block may set a test's clock.
        if case .waits(let seconds) = outcome { wait(seconds) }
        operation.notify(decision, error)
        guard waitingFor == nil else { return }
        end(.failure(outcome == .stops(.budgetUsed) ? Self.budgetUsed(error) : error))
    }

    private func attemptOrEnd() {
        do {
            try attempt()
        } catch {
            end(.failure(error))
        }
    }

    /// Shares a `Retry-After` with other downloads.
    private func share(_ cause: RetryDecision.Cause, _ field: String?, by policy: RetryPolicy) {
        guard let delays = options.originDelays, let field,
            [.status(429), .status(503)].contains(cause),
            let seconds = RetryAfter.seconds(field, now: clock.date),
            seconds <= policy.maximumRetryAfter
        else { return }
        delays.add(seconds, for: operation.response?.url ?? operation.request.url)
    }

    private static func budgetUsed(_ error: any Error) -> any Error {
        switch error {
        case let error as DownloadError: DownloadError.retryBudgetUsed(error)
        case let error as URLError: BudgetUsed.noted(in: error)
        default: error
        }
    }

    private func wait(_ seconds: TimeInterval) {
        let number = nextNumber()
        waitingFor = number
        let date = clock.date + seconds
        operation.state.withLock { $0.retry = date }
        operation.releaseSlot()
        alarm = clock.wakeUp(after: seconds, on: operation.disk) { [self] in
            guard waitingFor == number else { return }
            // The time until there is a slot does not count before the first try.
            if began == nil { waited += seconds }
            operation.state.withLock { $0.retry = nil }
            // The operation retains the block until a slot is free, and this object too.
            operation.requestSlot { [weak self, disk = operation.disk] in
                disk.async { [weak self] in self?.endWait(number) }
            }
        }
    }

    private func endWait(_ number: Int) {
        guard waitingFor == number else { return }
        waitingFor = nil
        attemptOrEnd()
    }

    /// Ends the wait for the next try after a cancel; a try ends by itself.
    func cancelled() {
        guard waitingFor != nil else { return }
        waitingFor = nil
        alarm?.cancel()
        end(.failure(CancellationError()))
    }

    private func end(_ result: Result<DownloadedFile, any Error>) {
        // Before the callbacks, after which another process may continue the part.
        part.close()
        let stored = part.stored
        if stored > 0 { operation.report { $0.stored = stored } }
        if case .failure(let error) = result {
            let isCancel = error is CancellationError || operation.isCancelled
            let cancelled = URLError(.cancelled, url: operation.request.url)
            return operation.finish(.failure(isCancel ? cancelled : error))
        }
        operation.finish(result)
    }

    /// Seconds until the limit for all tries; nil for no limit.
    private var remaining: TimeInterval? {
        guard let began else { return options.timeout.map { $0 - waited } }
        return limit.map { $0 - began.duration(to: clock.now) / .seconds(1) }
    }

    private func checkCancelled() throws {
        if operation.isCancelled { throw CancellationError() }
    }
}
