/// Makes the calls of one stream, in their order, where they keep no other stream waiting.
///
/// ## Concurrency
/// Call from: any thread. Calls out on: a thread that may wait.
package protocol StreamCaller: Sendable {
    /// Runs a job after those before it.
    func perform(_ job: @escaping @Sendable () -> Void)
    /// Nobody waits any more for the job under way, nor for those behind it.
    func leave()
}
