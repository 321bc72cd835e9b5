import Alamofire
import Foundation

// snippet: begin
/// Tries three times, with a longer pause each time.
class Patience: RequestRetrier {
    func should(
        _ manager: SessionManager, retry request: Request, with error: Error,
        completion: @escaping RequestRetryCompletion
    ) {
        guard request.retryCount < 3 else {
            completion(false, 0)
            return
        }
        completion(true, 0.01 * Double(request.retryCount + 1))
    }
}
// snippet: end
