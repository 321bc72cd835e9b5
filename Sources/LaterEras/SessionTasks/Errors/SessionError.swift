public import Foundation
import FoundationNetworking
public import HTTPSemantics

/// The errors of the session managers.
///
/// The numbers of the cases never change.
public enum SessionError: NumberedError, Hashable, Sendable {
    /// 1: a task was requested of an invalidated session.
    case sessionInvalidated
    /// 2: not thrown any more, nor are 4, 5 and 8: they were about what URLSession on Linux could
    /// not do when it carried the tasks.
    case securityPolicyNotHonoured(String)
    /// 3: a policy with a pinning mode and a base that is not https.
    case pinningWithoutHTTPS
    /// 4: no longer thrown.
    case challengeBlockNeverAsked
    /// 5: no longer thrown.
    case cannotBecomeDownload
    /// 6: the resume data cannot be used; the text says why.
    case unusableResumeData(String)
    /// 7: the server's response does not continue the download; the text says why. The part stays:
    /// the resume data, which `errorUserInfo` has under `URLSessionDownloadTaskResumeData`,
    /// continues it.
    case cannotContinueDownload(String, resumeData: Data? = nil)
    /// 8: no longer thrown.
    case bodyLostInRedirect

    /// `OperationNetworking.SessionError`.
    public static var errorDomain: String { "OperationNetworking.SessionError" }

    package var details: [String: Any] {
        guard case .cannotContinueDownload(_, let resumeData?) = self else { return [:] }
        return [URLSessionDownloadTaskResumeData: resumeData]
    }

    package var numbered: (number: Int, sentence: String) {
        switch self {
        case .sessionInvalidated:
            (1, "The session has been invalidated and makes no more tasks; make a new manager.")
        case .securityPolicyNotHonoured(let what):
            (2, "The security policy's \(what) cannot be honoured.")
        case .pinningWithoutHTTPS:
            (3, "A security policy with a pinning mode needs a base URL with the scheme https.")
        case .challengeBlockNeverAsked:
            (4, "A session challenge block is set and would never be called.")
        case .cannotBecomeDownload: (5, "A data task cannot become a download.")
        case .unusableResumeData(let why):
            (6, "No download can be made of the resume data: \(why) Start a new download.")
        case .cannotContinueDownload(let why, _): (7, "The download cannot be continued: \(why)")
        case .bodyLostInRedirect: (8, "A redirect would lose the body of the request.")
        }
    }
}
