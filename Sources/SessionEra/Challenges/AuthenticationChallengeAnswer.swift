public import FoundationNetworking

/// What a task's challenge handler decides (UM-18): the five outcomes that AFNetworking 4 told
/// apart by the type of the object returned.
public enum AuthenticationChallengeAnswer: Sendable {
    /// The handler calls the completion block itself, now or later; `nil` in AFNetworking.
    case handlerAnswers
    /// The challenge is cancelled and the task ends with this error; an `NSError` in AFNetworking.
    case fail(any Error)
    /// The credential answers the challenge; an `NSURLCredential` in AFNetworking.
    case use(URLCredential)
    /// As if there were no handler; an `NSNumber` in AFNetworking, as are the next two.
    case performDefaultHandling
    /// The challenge is cancelled and the task ends with `URLError.cancelled`.
    case cancel
    /// The next protection space is tried; on Linux there is none, and it is as `cancel`.
    case rejectProtectionSpace
}
