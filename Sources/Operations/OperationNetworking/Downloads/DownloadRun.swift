import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking

/// The course of a download: look at what is there, try, decide about another try, publish.
///
/// ## Concurrency
/// Call from: the download's queue `disk`; every step may wait for the disk. Lock: none. Calls out on:
/// nothing; the operation tells.
final class DownloadRun: @unchecked Sendable {
    // @unchecked because blocks of the queue `disk` alone use it.
    let operation: FileDownloadOperation
    private let prepare: @Sendable (URLConnectionOperation) -> Void
    let part: PartFile
    /// The try under way.
    private(set) var current: DownloadTry?
    // What the first connection's configuration brings, for all tries.
    private var clock = NetworkClock.system
    private var began: NetworkClock.Instant?
    private var policy: RetryPolicy?
    /// Seconds for all tries; nil: any.
    private var limit: TimeInterval?
    /// The idempotency key and its field, where the policy needs one.
    private var key: (field: String, value: String)?
    private var expectedHash: String?
    private var existing: ExistingFile?
    /// The number of the wait under way; nil where a try is.
    private var waitingFor: Int?
    private var alarm: ClockAlarm?
    private var number = 0
    /// Whether the part was given up once for another file of the server's.
    private var hasStartedOver = false
    /// Whether the server has not refused further connections so far.
    private var takesMore = true

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
                place, address: address, mayReplace: operation.options.existingFile == .replace,
                isSyncedLater: operation.options.isSyncedLater)
        if let rests = operation.options.rests { clock = rests.clock }
    }

    private var options: DownloadOptions { operation.options }
    /// The rest of anything else than a GET's body means nothing.
    private var isGet: Bool { operation.request.httpMethod ?? "GET" == "GET" }
    private var mayReplace: Bool { options.existingFile == .replace }

    func begin() {
        do {
            try checkCancelled()
            guard operation.destination.isFileURL, !operation.destination.hasDirectoryPath else {
                throw DownloadError.unusable("The destination must be the file URL of a file.")
            }
            expectedHash = try options.hash()
            if !mayReplace, operation.output == nil, let file = try fileThatIsThere() {
                return end(.success(file))
            }
            if options.continuesPart, isGet {
                // With a hash that the whole must have, a new address may lead to the same file.
                try part.open(anyAddress: expectedHash != nil) { operation.isCancelled }
            }
            try attempt()
        } catch {
            end(.failure(error))
        }
    }

    /// A file at the destination that is known to be the one; any other is compared later.
    private func fileThatIsThere() throws -> DownloadedFile? {
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
        guard found.isOurs || expectedHash != nil else {
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
        // Others may have been told that the server rests.
        if let rest = options.rests?.rest(of: operation.request.url), rest > 0 {
            if let remaining, rest >= remaining { throw URLError(.timedOut) }
            return wait(rest)
        }
        let attempt = DownloadTry(
            self,
            DownloadTry.Goal(
                expectation: PartVerdict.Expectation(
                    place: part.place, address: part.address, length: options.expectedLength,
                    existing: existing, isAsSent: !options.isCompressed),
                mayContinue: isGet,
                width: isGet && takesMore && operation.output == nil ? options.width : 1,
                minimum: options.minimumSegmentLength, watchTime: options.watchTime))
        current = attempt
        do {
            try attempt.start()
        } catch {
            current = nil
            throw error
        }
    }

    /// A connection for a try, with the program's settings.
    ///
    /// - Throws: `URLError.timedOut` where there is no time left.
    func transfer(_ task: PartTransfer.Task) throws -> PartTransfer {
        let transfer = PartTransfer(operation.request, task)
        prepare(transfer)
        if began == nil { adopt(transfer) }
        transfer.configuration.responseCache = nil
        if !options.isCompressed { transfer.configuration.decodesContent = false }
        // The download's own policy is asked, and tries are not multiplied.
        transfer.configuration.retryPolicy = nil
        if let key { transfer.request.setValue(key.value, forHTTPHeaderField: key.field) }
        transfer.queuePriority = operation.queuePriority
        let rest = remaining
        if let rest, rest <= 0 { throw URLError(.timedOut) }
        transfer.completionGroup = nil
        transfer.completionQueue = operation.disk
        transfer.timeoutIntervalForResource = rest
        return transfer
    }

    /// Takes what a connection's settings say of the download as a whole.
    private func adopt(_ transfer: PartTransfer) {
        clock = transfer.configuration.clock
        began = clock.now
        // Of a connection's own limit, none and less is no limit.
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

    /// Has the try that is under way look at its first connection's speed later.
    func watch(_ number: Int, for seconds: TimeInterval) {
        clock.wakeUp(after: seconds, on: operation.disk) { [self] in current?.watched(number) }
    }

    func nextNumber() -> Int {
        number += 1
        return number
    }

    // MARK: - The end of a try

    /// - Parameter failure: nil where all bytes are there.
    func ended(_ failure: DownloadTry.Failure?) {
        current = nil
        if let failure { return fail(failure) }
        do {
            try part.catchUp(.max) { operation.isCancelled }
            try checkLength(operation.progress.total)
            try publish()
        } catch {
            fail(DownloadTry.Failure(error: error, details: whole))
        }
    }

    /// Of a try that brought everything.
    private var whole: PartTransfer.Details {
        PartTransfer.Details(verdict: .append(total: nil), retryAfter: nil)
    }

    private func checkLength(_ total: Int64?) throws {
        let stored = part.stored
        for length in [total, options.expectedLength].compactMap({ $0 }) where length != stored {
            // What is too long cannot become right.
            if stored > length { part.forget() }
            throw DownloadError.wrongLength(expected: length, received: stored)
        }
    }

    private func publish() throws {
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

    private func fail(_ failure: DownloadTry.Failure) {
        let error = failure.error
        // A server that takes no more connections gets no more.
        if failure.isRefusalOfMore { takesMore = false }
        // A stream is read once.
        let isOnce = operation.request.httpBodyStream != nil
        if operation.isCancelled || isOnce { return end(.failure(error)) }
        if case DownloadError.changed = error {
            guard part.mayStartOver else { return end(.failure(error)) }
            // What was asked for is the file that there is. Only once, since it may change for ever.
            if !hasStartedOver { return startOver() }
        }
        let cause = Self.cause(of: failure)
        guard let policy, let cause else { return end(.failure(error)) }
        note(cause, by: policy)
        // What came counts, whatever becomes of this process while it waits.
        try? part.save()
        let failed = FailedAttempt(
            number: operation.progress.attempts - (hasStartedOver ? 1 : 0),
            method: operation.request.httpMethod ?? "GET",
            hasKey: key != nil, cause: cause, rest: remaining)
        let outcome = policy.decide(failed, now: clock.date)
        let decision = RetryDecision(attempt: failed.number, cause: cause.told, outcome: outcome)
        // The alarm first: who hears of the wait may turn the clock.
        if case .waits(let seconds) = outcome { wait(seconds) }
        operation.tell(decision, error)
        guard waitingFor == nil else { return }
        end(.failure(outcome == .stops(.budgetUsed) ? Self.budgetUsed(error) : error))
    }

    private func startOver() {
        hasStartedOver = true
        do {
            try attempt()
        } catch {
            end(.failure(error))
        }
    }

    /// Has others wait too, where the server asks for a rest.
    private func note(_ cause: FailedAttempt.Cause, by policy: RetryPolicy) {
        guard let rests = options.rests, case .status(let code, let field?) = cause,
            code == 429 || code == 503,
            let seconds = RetryAfter.seconds(field, now: clock.date),
            seconds <= policy.maximumRetryAfter
        else { return }
        rests.add(seconds, for: operation.response?.url ?? operation.request.url)
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
        // Others may have its place meanwhile.
        operation.leavePlace()
        alarm = clock.wakeUp(after: seconds, on: operation.disk) { [self] in
            guard waitingFor == number else { return }
            operation.state.withLock { $0.retry = nil }
            // Asked for again: the block may run at once, or when a place is free. The operation has both.
            operation.takePlace { [weak self, disk = operation.disk] in
                disk.async { [weak self] in self?.goOn(number) }
            }
        }
    }

    private func goOn(_ number: Int) {
        guard waitingFor == number else { return }
        waitingFor = nil
        do {
            try attempt()
        } catch {
            end(.failure(error))
        }
    }

    /// A cancel ends what waits for its next try; a try under way ends by itself.
    func cancelled() {
        guard waitingFor != nil else { return }
        waitingFor = nil
        alarm?.cancel()
        end(.failure(CancellationError()))
    }

    private func end(_ result: Result<DownloadedFile, any Error>) {
        // Before the callbacks: after them another process may continue the part.
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

    // MARK: - What a policy is asked

    private static func cause(of failure: DownloadTry.Failure) -> FailedAttempt.Cause? {
        switch (failure.error, failure.details.verdict) {
        case (DownloadError.status(let code), _):
            .status(code, retryAfter: failure.details.retryAfter)
        case (DownloadError.encodedPart, _), (DownloadError.changed, _):
            .error(.networkConnectionLost)
        // The first connection of the next try finds out what there is.
        case (DownloadError.refused, .failed) where failure.isFurther:
            .error(.networkConnectionLost)
        // The server's own length does not change by asking again.
        case (DownloadError.wrongLength, .failed): nil
        case (DownloadError.wrongLength, _): .error(.networkConnectionLost)
        case (let error as URLError, _): .error(error.code)
        default: nil
        }
    }

    /// Seconds until the limit for all tries; nil is none.
    private var remaining: TimeInterval? {
        guard let limit, let began else { return nil }
        return limit - began.duration(to: clock.now) / .seconds(1)
    }

    private func checkCancelled() throws {
        if operation.isCancelled { throw CancellationError() }
    }
}

extension FailedAttempt.Cause {
    fileprivate var told: RetryDecision.Cause {
        switch self {
        case .status(let code, _): .status(code)
        case .error(let code): .error(code)
        }
    }
}
