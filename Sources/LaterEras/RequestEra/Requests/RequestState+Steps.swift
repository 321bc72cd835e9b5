import Foundation
import SessionTasks

// The caller's steps.
extension RequestState {
    enum Resumption {
        /// The task is resumed, and that is posted.
        case task(SessionTask)
        /// There is no task and nothing to wait for: the handlers get the error.
        case end
        /// The retry will start the task.
        case noted
    }

    mutating func resume() -> Resumption {
        isSuspended = false
        wasResumed = true
        if let task {
            if startTime == nil { startTime = now }
            return .task(task)
        }
        guard phase == .open else { return .noted }
        phase = .ending
        return .end
    }

    /// - Returns: the task to be suspended. A retry that comes later waits for `resume()`.
    mutating func suspend() -> SessionTask? {
        isSuspended = true
        return task
    }

    /// - Returns: the task to be cancelled, and whether a wait ended by it: then the caller must
    ///   end the request.
    mutating func cancel(with error: any Error) -> (task: SessionTask?, endsWait: Bool) {
        switch phase {
        case .asked, .waiting:
            isCancelled = true
            phase = .ending
            self.error = error
            return (task, true)
        case .open, .ending:
            isCancelled = task != nil
            return (task, false)
        case .ended:
            return (task, false)
        }
    }
}

// The steps of an attempt and of what comes after it.
extension RequestState {
    /// Handles the end of an attempt's task.
    ///
    /// - Returns: false for a task of an earlier attempt, and after the end.
    mutating func complete(_ task: SessionTask, _ error: (any Error)?) -> Bool {
        guard phase == .open, self.task === task else { return false }
        phase = .ending
        transferError = error
        return true
    }

    /// Handles the end of a task that the delegate has forgotten: nothing is validated or tried
    /// again, and the end was posted without a request.
    ///
    /// - Returns: whether it is this request's task.
    mutating func forget(_ task: SessionTask, _ error: any Error) -> Bool {
        guard complete(task, error) else { return false }
        self.error = self.error ?? error
        isEndPosted = true
        return true
    }

    /// The validations that have not run in this attempt; nil when all have.
    mutating func nextValidations() -> ArraySlice<@Sendable () -> Void>? {
        guard validated < validations.count else { return nil }
        defer { validated = validations.count }
        return validations[validated...]
    }

    /// - Returns: the number of a question to the retrier; nil where the request is at its end.
    mutating func ask() -> Int? {
        guard phase == .ending || phase == .open && task == nil else { return nil }
        question += 1
        phase = .asked(question)
        return question
    }

    enum Answer {
        /// The next attempt begins after the delay.
        case waits
        /// The request ends with its error.
        case ends
        /// The question is not open any more.
        case ignored
        /// The request has no task and was not resumed: it ends with `resume()`.
        case waitsForResume
    }

    /// Handles the retrier's answer.
    ///
    /// - Parameter startsByItself: whether the manager resumes its requests.
    mutating func answer(_ number: Int, _ isYes: Bool, startsByItself: Bool) -> Answer {
        guard phase == .asked(number) else { return .ignored }
        if isYes, !isCancelled {
            phase = .waiting(number)
            return .waits
        }
        return endOrWait(startsByItself)
    }

    /// A request without a task ends with its error when it is resumed.
    private mutating func endOrWait(_ startsByItself: Bool) -> Answer {
        if task == nil, !startsByItself, !wasResumed {
            phase = .open
            return .waitsForResume
        }
        phase = .ending
        return .ends
    }

    /// Begins the next attempt: everything that the attempt before gave is reset.
    ///
    /// - Returns: whether it waits for `resume()`; nil where the wait for the attempt has ended meanwhile, so that the
    ///   task is not used.
    mutating func begin(_ task: SessionTask, after number: Int) -> Bool? {
        guard phase == .waiting(number) else { return nil }
        phase = .open
        resetOutcome()
        self.task = task
        isAnswerStale = false
        isEndPosted = false
        retryCount += 1
        clock = AttemptClock()
        startTime = now
        endTime = nil
        return isSuspended
    }

    /// Notes that the next attempt has no task: it ends with the adapter's error, and without what
    /// the attempt before got.
    mutating func failAttempt(
        _ error: any Error, after number: Int, startsByItself: Bool
    ) -> Answer {
        guard phase == .waiting(number) else { return .ignored }
        resetOutcome()
        isAnswerStale = true
        self.error = error
        return endOrWait(startsByItself)
    }

    /// Ends, before the queue is opened: false where a validation came meanwhile, which must run
    /// first.
    mutating func end() -> Bool {
        if validated < validations.count, canFailValidation { return false }
        phase = .ended
        isResultDelivered = false
        return true
    }

    /// Validations look at a response, and only where nothing failed but the transfer.
    private var canFailValidation: Bool { error == nil && response != nil }

    enum Addition {
        case added
        /// The request ended before any handler was added: it is validated again.
        case reopens
        /// A handler has got, or will get, the result.
        case late
    }

    mutating func add(_ validation: @escaping @Sendable () -> Void) -> Addition {
        guard phase == .ended || isResultDelivered else {
            validations.append(validation)
            return .added
        }
        if !canFailValidation { return .added }
        if isResultDelivered || handlers > 0 { return .late }
        validations.append(validation)
        phase = .ending
        return .reopens
    }

    enum StreamStep {
        /// Nothing was stored before.
        case set
        /// The closure gets what was stored, on the delegate queue.
        case flushes
        /// Likewise, and handlers that are added from now on are called after that.
        case reopens
    }

    mutating func stream(to closure: (@Sendable (Data) -> Void)?) -> StreamStep {
        guard let closure, !data.isEmpty else {
            (stream, lateStream) = (closure, nil)
            return .set
        }
        lateStream = closure
        guard phase == .ended else { return .flushes }
        phase = .ending
        isResultDelivered = handlers > 0
        return .reopens
    }

    /// Makes a stream closure that came late the one that gets the body.
    ///
    /// - Returns: the closure, and what was stored until now; nil where there is none.
    mutating func takeLateStream() -> (closure: @Sendable (Data) -> Void, body: Data)? {
        guard let closure = lateStream.take() else { return nil }
        stream = closure
        defer { data = Data() }
        return (closure, data)
    }

    /// Ends a request that waits, and one without a task that was not resumed, where the manager is
    /// released. Others are cancelled with their tasks.
    mutating func endWithManager(_ error: any Error) -> Bool {
        switch phase {
        case .asked, .waiting:
            isCancelled = true
            self.error = error
        case .open where task == nil: break
        default: return false
        }
        phase = .ending
        return true
    }
}
