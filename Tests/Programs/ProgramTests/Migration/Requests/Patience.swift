import RequestEra

// snippet: begin
/// Tries three times, with a longer pause each time.
struct Patience: RequestRetrier {
    func should(
        _ manager: SessionManager, retry request: Request, with error: any Error,
        completion: @escaping RequestRetryCompletion
    ) {
        let isLast = request.retryCount >= 3
        completion(!isLast, 0.01 * Double(request.retryCount + 1))
    }
}
// snippet: end
