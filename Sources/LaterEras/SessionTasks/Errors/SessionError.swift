public import Foundation
import FoundationNetworking
public import HTTPSemantics

/// The errors of the session managers, also for what this system's URLSession cannot do.
///
/// The numbers of the cases never change.
public enum SessionError: NumberedError, Hashable, Sendable {
    /// 1: a task was requested of an invalidated session (LX-27).
    case sessionInvalidated
    /// 2: with `SessionTransport.foundation` the security policy requires what URLSession on Linux
    /// cannot check (LX-13); the text names it. No byte was sent to the server.
    case securityPolicyNotHonoured(String)
    /// 3: a policy with a pinning mode and a base that is not https (HM-09).
    case pinningWithoutHTTPS
    /// 4: with `SessionTransport.foundation` a session challenge block is set, and URLSession on
    /// Linux would never call it (LX-13).
    case challengeBlockNeverAsked
    /// 5: with `SessionTransport.foundation` the response block asked to turn a data task into a
    /// download (LX-03, LX-20).
    case cannotBecomeDownload
    /// 6: the resume data cannot be used; the text says why.
    case unusableResumeData(String)
    /// 7: the server's response does not continue the download; the text says why. The part is kept: the
    /// resume data, which `errorUserInfo` has under `URLSessionDownloadTaskResumeData`, goes on with it.
    case cannotContinueDownload(String, resumeData: Data? = nil)
    /// 8: with `SessionTransport.foundation` a redirect needs the body again, and URLSession on
    /// Linux would send none.
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
            (
                2,
                "URLSession on Linux hands out no server trust, so the security policy's \(what) "
                    + "cannot be honoured. Nothing was sent. Use SessionTransport.connection."
            )
        case .pinningWithoutHTTPS:
            (3, "A security policy with a pinning mode needs a base URL with the scheme https.")
        case .challengeBlockNeverAsked:
            (
                4,
                "A session challenge block is set, and URLSession on Linux asks none about a server's "
                    + "trust. Nothing was sent. Use SessionTransport.connection."
            )
        case .cannotBecomeDownload:
            (
                5,
                "URLSession on Linux cannot make a download of a data task. Use "
                    + "SessionTransport.connection."
            )
        case .unusableResumeData(let why):
            (6, "No download can be made of the resume data: \(why) Start a new download.")
        case .cannotContinueDownload(let why, _): (7, "The download cannot be continued: \(why)")
        case .bodyLostInRedirect:
            (
                8,
                "The server redirected a request with its body, and URLSession on Linux would send the "
                    + "new one without it. Use SessionTransport.connection."
            )
        }
    }
}
