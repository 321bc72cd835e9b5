import Foundation

/// What an operation ended with.
struct OperationResult {
    var error: (any Error)?
    var responseData: Data?
}
