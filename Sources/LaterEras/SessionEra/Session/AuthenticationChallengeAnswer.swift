public import FoundationNetworking
import SessionTasks

/// The decision of a task's challenge handler: the five outcomes that AFNetworking 4
/// distinguished by the type of the returned object.
public enum AuthenticationChallengeAnswer: Sendable {
    /// The handler itself calls the completion block, now or later; `nil` in AFNetworking.
    case handlerAnswers
    /// The challenge is cancelled and the task ends with this error; an `NSError` in AFNetworking.
    case fail(any Error)
    /// The credential answers the challenge; an `NSURLCredential` in AFNetworking.
    case use(URLCredential)
    /// The default handling; an `NSNumber` in AFNetworking, as are the next two.
    case performDefaultHandling
    /// The challenge is cancelled and the task ends with `URLError.cancelled`.
    case cancel
    /// The next scheme that the server offers is tried. Without one the task gets the response with the challenge; a
    /// server's trust is left to the policy.
    case rejectProtectionSpace
}

extension AuthenticationChallengeAnswer {
    func give(to answer: ChallengeCompletion, of task: SessionTask) {
        switch self {
        case .handlerAnswers: break
        case .fail(let error): task.fail(with: error)
        case .use(let credential): answer(.useCredential, credential)
        case .performDefaultHandling: answer(.performDefaultHandling, nil)
        case .cancel: answer(.cancelAuthenticationChallenge, nil)
        case .rejectProtectionSpace: answer(.rejectProtectionSpace, nil)
        }
    }
}
