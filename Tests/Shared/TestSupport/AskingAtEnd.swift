/// Something that a block or an object of the caller's may hold, and that asks the library when it is let go.
///
/// It asks on another thread and waits a moment for the answer: under a lock that is asked for there is none.
package final class AskingAtEnd: Sendable {
    private let answers: Log<Bool>
    private let ask: @Sendable () -> Void

    /// - Parameter answers: whether there was an answer.
    package init(_ answers: Log<Bool>, _ ask: @escaping @Sendable () -> Void) {
        self.answers = answers
        self.ask = ask
    }

    deinit {
        let isAnswered = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [ask] in
            ask()
            isAnswered.signal()
        }
        answers.add(isAnswered.wait(timeout: .now() + 5) == .success)
    }

    package func touch() {}
}
