import Foundation
import FoundationNetworking
import SessionTasks

/// The closures of a delegate.
struct SessionClosures: Sendable {
    var sessionDidBecomeInvalidWithError: (@Sendable (URLSession, (any Error)?) -> Void)?
    var sessionDidReceiveChallenge:
        (
            @Sendable (URLSession, URLAuthenticationChallenge) -> (
                URLSession.AuthChallengeDisposition, URLCredential?
            )
        )?
    var sessionDidReceiveChallengeWithCompletion:
        (
            @Sendable (
                URLSession, URLAuthenticationChallenge,
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) -> Void
        )?
    var sessionDidFinishEventsForBackgroundURLSession: (@Sendable (URLSession) -> Void)?
    var taskWillPerformHTTPRedirection:
        (@Sendable (URLSession, SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?
    var taskWillPerformHTTPRedirectionWithCompletion:
        (
            @Sendable (
                URLSession, SessionTask, HTTPURLResponse, URLRequest,
                @escaping @Sendable (URLRequest?) -> Void
            ) -> Void
        )?
    var taskDidReceiveChallenge:
        (
            @Sendable (URLSession, SessionTask, URLAuthenticationChallenge) -> (
                URLSession.AuthChallengeDisposition, URLCredential?
            )
        )?
    var taskDidReceiveChallengeWithCompletion:
        (
            @Sendable (
                URLSession, SessionTask, URLAuthenticationChallenge,
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) -> Void
        )?
    var taskNeedNewBodyStream: (@Sendable (URLSession, SessionTask) -> InputStream?)?
    var taskNeedNewBodyStreamWithCompletion:
        (
            @Sendable (
                URLSession, SessionTask, @escaping @Sendable (InputStream?) -> Void
            ) -> Void
        )?
    var taskDidSendBodyData: (@Sendable (URLSession, SessionTask, Int64, Int64, Int64) -> Void)?
    var taskDidComplete: (@Sendable (URLSession, SessionTask, (any Error)?) -> Void)?
    var dataTaskDidReceiveResponse:
        (@Sendable (URLSession, SessionDataTask, URLResponse) -> URLSession.ResponseDisposition)?
    var dataTaskDidReceiveResponseWithCompletion:
        (
            @Sendable (
                URLSession, SessionDataTask, URLResponse,
                @escaping @Sendable (URLSession.ResponseDisposition) -> Void
            ) -> Void
        )?
    var dataTaskDidBecomeDownloadTask:
        (@Sendable (URLSession, SessionDataTask, SessionDownloadTask) -> Void)?
    var dataTaskDidReceiveData: (@Sendable (URLSession, SessionDataTask, Data) -> Void)?
    var dataTaskWillCacheResponse:
        (@Sendable (URLSession, SessionDataTask, CachedURLResponse) -> CachedURLResponse?)?
    var dataTaskWillCacheResponseWithCompletion:
        (
            @Sendable (
                URLSession, SessionDataTask, CachedURLResponse,
                @escaping @Sendable (CachedURLResponse?) -> Void
            ) -> Void
        )?
    var downloadTaskDidFinishDownloadingToURL:
        (@Sendable (URLSession, SessionDownloadTask, URL) -> Void)?
    var downloadTaskDidWriteData:
        (@Sendable (URLSession, SessionDownloadTask, Int64, Int64, Int64) -> Void)?
    var downloadTaskDidResumeAtOffset:
        (@Sendable (URLSession, SessionDownloadTask, Int64, Int64) -> Void)?
}

/// The closures as one object that nobody changes, so that whoever reads one copies no other.
final class HeldClosures: Sendable {
    let all: SessionClosures

    init(_ all: SessionClosures) { self.all = all }
}

extension SessionClosures {
    var answersSessionChallenges: Bool {
        sessionDidReceiveChallenge != nil || sessionDidReceiveChallengeWithCompletion != nil
    }

    /// Whether a closure is asked about challenges, and so about servers.
    var answersChallenges: Bool {
        answersSessionChallenges || taskDidReceiveChallenge != nil
            || taskDidReceiveChallengeWithCompletion != nil
    }

    /// What the closures take the place for.
    var interest: TaskInterest {
        var kinds: TaskInterest = []
        if answersChallenges { kinds.insert(.challenge) }
        if taskWillPerformHTTPRedirection != nil
            || taskWillPerformHTTPRedirectionWithCompletion != nil
        {
            kinds.insert(.redirect)
        }
        if dataTaskDidReceiveResponse != nil || dataTaskDidReceiveResponseWithCompletion != nil {
            kinds.insert(.disposition)
        }
        if dataTaskWillCacheResponse != nil || dataTaskWillCacheResponseWithCompletion != nil {
            kinds.insert(.store)
        }
        if taskDidSendBodyData != nil { kinds.insert(.sent) }
        if dataTaskDidReceiveData != nil { kinds.insert(.data) }
        if dataTaskDidBecomeDownloadTask != nil { kinds.insert(.becameDownload) }
        if downloadTaskDidFinishDownloadingToURL != nil { kinds.insert(.file) }
        if downloadTaskDidWriteData != nil { kinds.insert(.wrote) }
        if downloadTaskDidResumeAtOffset != nil { kinds.insert(.resumed) }
        return kinds
    }
}
