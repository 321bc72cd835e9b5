import CurlConnection
import Foundation
import OperationNetworking

func patientShop(_ base: URL) -> HTTPRequestOperationManager {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: base)
    var policy = RetryPolicy()
    policy.maximumAttempts = 3
    // A POST is sent twice only with a key by which the server knows that it is the same one.
    policy.idempotencyKeyField = "Idempotency-Key"
    manager.configuration.retryPolicy = policy
    // snippet: end
    return manager
}
