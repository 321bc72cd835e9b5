/// Work for the thread it was made on, carried there by something that asks for Sendable closures.
struct OnOwnThread: @unchecked Sendable {
    // @unchecked because it is made and run on one thread: the run loop's, or the mailbox's.
    let run: () -> Void
}

/// The same with an argument.
struct OnOwnThreadWith<Argument>: @unchecked Sendable {
    // @unchecked because it is made and run on one thread: the run loop's, or the mailbox's.
    let run: (Argument) -> Void
}
