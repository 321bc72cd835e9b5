/// Work for the thread it was made on, carried there by something that asks for Sendable closures.
struct SameThreadClosure<Argument>: @unchecked Sendable {
    // @unchecked because it is made and run on one thread: the run loop's, or the crossThreadJobs's.
    let run: (Argument) -> Void
}
