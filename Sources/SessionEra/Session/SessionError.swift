public import Foundation

/// What the session managers refuse, or cannot do on this system's URLSession.
///
/// The numbers never change.
public enum SessionError: Error, Hashable, Sendable, CustomNSError, LocalizedError {
    /// 1: a task was wanted from a session that has been invalidated (LX-27).
    case sessionInvalidated
    /// 2: the security policy asks for what URLSession on Linux cannot check (LX-13); the text says
    /// what. No byte was sent to the server.
    case securityPolicyNotHonoured(String)
    /// 3: a policy with a pinning mode and a base that is not https (HM-09).
    case pinningWithoutHTTPS
    /// 4: a session challenge block is set, and URLSession on Linux would never ask it (LX-13).
    case challengeBlockNeverAsked
    /// 5: the response block wanted a download of a data task (LX-03, LX-20).
    case cannotBecomeDownload
    /// 6: resume data that no download can be made of; the text says why.
    case unusableResumeData(String)
    /// 7: the server's answer does not continue what was downloaded; the text says why.
    case cannotContinueDownload(String)
    /// 8: a redirect asks for the body once more, and URLSession on Linux would send none.
    case bodyLostInRedirect

    /// `OperationNetworking.SessionError`.
    public static var errorDomain: String { "OperationNetworking.SessionError" }

    /// The number of the case.
    public var errorCode: Int {
        switch self {
        case .sessionInvalidated: 1
        case .securityPolicyNotHonoured: 2
        case .pinningWithoutHTTPS: 3
        case .challengeBlockNeverAsked: 4
        case .cannotBecomeDownload: 5
        case .unusableResumeData: 6
        case .cannotContinueDownload: 7
        case .bodyLostInRedirect: 8
        }
    }

    /// The sentence of the case as the localized description.
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: errorDescription ?? ""]
    }

    /// The sentence of the case.
    public var errorDescription: String? {
        switch self {
        case .sessionInvalidated:
            "The session has been invalidated, so it makes no more tasks."
        case .securityPolicyNotHonoured(let what):
            "URLSession on Linux hands out no server trust, so the security policy's \(what) "
                + "cannot be honoured. Nothing was sent."
        case .pinningWithoutHTTPS:
            "A security policy with a pinning mode needs a base URL with the scheme https."
        case .challengeBlockNeverAsked:
            "A session challenge block is set, and URLSession on Linux asks none about a server's "
                + "trust. Nothing was sent."
        case .cannotBecomeDownload:
            "URLSession on Linux cannot make a download of a data task."
        case .unusableResumeData(let why):
            "No download can be made of the resume data: \(why)"
        case .cannotContinueDownload(let why):
            "The download cannot be continued: \(why)"
        case .bodyLostInRedirect:
            "The server redirected a request with its body, and URLSession on Linux would send the "
                + "new one without."
        }
    }
}
