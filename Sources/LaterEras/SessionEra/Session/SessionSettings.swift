import CurlConnection
import Foundation
import FoundationNetworking
import OperationNetworking

struct SessionSettings {
    var responseSerializer: HTTPResponseSerializer = JSONResponseSerializer()
    var securityPolicy = SecurityPolicy.default()
    var reachabilityManager = NetworkReachabilityManager.shared
    var completionQueue: DispatchQueue?
    var completionGroup: DispatchGroup?
    var reportsFailedMoveAsSuccess = false
    var blocks = SessionBlocks()
}

/// The settings as one object that does not change, so that reading one copies no other.
final class SettingsObject: @unchecked Sendable {
    // @unchecked because it is constant, and its parts guard themselves.
    let value: SessionSettings
    /// The questions that a block answers.
    let asks: TaskInterest

    init(_ value: SessionSettings) {
        self.value = value
        let blocks = value.blocks
        var asks: TaskInterest = []
        if blocks.willRedirect != nil { asks.insert(.redirect) }
        if blocks.challengeHandler != nil || blocks.sessionChallenge != nil {
            asks.insert(.challenge)
        }
        if blocks.didReceiveResponse != nil { asks.insert(.disposition) }
        if blocks.willCacheResponse != nil { asks.insert(.store) }
        self.asks = asks
    }
}

struct SessionBlocks {
    var sessionDidBecomeInvalid: (@Sendable (URLSession, (any Error)?) -> Void)?
    var sessionChallenge:
        (
            @Sendable (URLSession, URLAuthenticationChallenge) -> (
                URLSession.AuthChallengeDisposition, URLCredential?
            )
        )?
    var needNewBodyStream: (@Sendable (URLSession, SessionTask) -> InputStream?)?
    var willRedirect: (@Sendable (URLSession, SessionTask, URLResponse, URLRequest) -> URLRequest?)?
    var challengeHandler:
        (
            @Sendable (
                URLSession, SessionTask, URLAuthenticationChallenge,
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) -> AuthenticationChallengeAnswer
        )?
    var didFinishCollecting: (@Sendable (URLSession, SessionTask, RequestMetrics?) -> Void)?
    var willCacheResponse:
        (@Sendable (URLSession, SessionDataTask, CachedURLResponse) -> CachedURLResponse)?
    var didBecomeDownload: (@Sendable (URLSession, SessionDataTask, SessionDownloadTask) -> Void)?
    var didSendBodyData: (@Sendable (URLSession, SessionTask, Int64, Int64, Int64) -> Void)?
    var didComplete: (@Sendable (URLSession, SessionTask, (any Error)?) -> Void)?
    var didReceiveResponse:
        (@Sendable (URLSession, SessionDataTask, URLResponse) -> URLSession.ResponseDisposition)?
    var didReceiveData: (@Sendable (URLSession, SessionDataTask, Data) -> Void)?
    var didFinishDownloading: (@Sendable (URLSession, SessionDownloadTask, URL) -> URL?)?
    var didWriteData: (@Sendable (URLSession, SessionDownloadTask, Int64, Int64, Int64) -> Void)?
    var didResume: (@Sendable (URLSession, SessionDownloadTask, Int64, Int64) -> Void)?
}
