public import Foundation
public import FoundationNetworking
public import SessionEra

// The setters of blocks whose parameters are Foundation's task classes, for old sources; see `FoundationTasks`.

// MARK: - Session

extension URLSessionManager {
    /// Called when the session has become invalid. If the caller has invalidated it, there is no error; the block then
    /// gets `URLError.cancelled`, because its parameter is not optional.
    @_disfavoredOverload
    @available(*, deprecated, message: "write Error? in place of Error")
    @preconcurrency
    public func setSessionDidBecomeInvalidBlock(
        _ block: (@Sendable (URLSession, any Error) -> Void)?
    ) {
        guard let block else { return setSessionDidBecomeInvalidBlock(nil) }
        setSessionDidBecomeInvalidBlock { session, error in
            block(session, error ?? URLError(.cancelled))
        }
    }

    /// Called for server trust and client certificates; the block stores the credential through the pointer.
    @_disfavoredOverload
    @available(*, deprecated, message: "return the credential with the disposition")
    @preconcurrency
    public func setSessionDidReceiveAuthenticationChallenge(
        _ block: (
            @Sendable (URLSession, URLAuthenticationChallenge, URLCredentialPointer) ->
                URLSession.AuthChallengeDisposition
        )?
    ) {
        guard let block else { return setSessionDidReceiveAuthenticationChallenge(nil) }
        setSessionDidReceiveAuthenticationChallenge { session, challenge in
            var credential: URLCredential?
            let disposition = block(session, challenge, &credential)
            return (disposition, credential)
        }
    }
}

/// The pointer through which a challenge block of AFNetworking returns its credential.
public typealias URLCredentialPointer = UnsafeMutablePointer<URLCredential?>?

// MARK: - Tasks

extension URLSessionManager {
    /// Called when a new body stream is needed.
    @_disfavoredOverload
    @available(*, deprecated, message: "write SessionTask in place of URLSessionTask")
    @preconcurrency
    public func setTaskNeedNewBodyStreamBlock(
        _ block: (@Sendable (URLSession, URLSessionTask) -> InputStream)?
    ) {
        guard let block else { return setTaskNeedNewBodyStreamBlock(nil) }
        setTaskNeedNewBodyStreamBlock { session, task in
            block(session, FoundationTasks.task(for: task))
        }
    }

    /// Called for a redirect.
    @_disfavoredOverload
    @available(*, deprecated, message: "write SessionTask in place of URLSessionTask")
    @preconcurrency
    public func setTaskWillPerformHTTPRedirectionBlock(
        _ block: (@Sendable (URLSession, URLSessionTask, URLResponse, URLRequest) -> URLRequest?)?
    ) {
        guard let block else { return setTaskWillPerformHTTPRedirectionBlock(nil) }
        setTaskWillPerformHTTPRedirectionBlock { session, task, response, request in
            block(session, FoundationTasks.task(for: task), response, request)
        }
    }

    /// Called for a challenge, as in AFNetworking 2 and 3: the block stores the credential through the pointer.
    @available(*, deprecated, renamed: "setAuthenticationChallengeHandler(_:)")
    @preconcurrency
    public func setTaskDidReceiveAuthenticationChallenge(
        _ block: (
            @Sendable (
                URLSession, URLSessionTask, URLAuthenticationChallenge, URLCredentialPointer
            ) -> URLSession.AuthChallengeDisposition
        )?
    ) {
        guard let block else { return setAuthenticationChallengeHandler(nil) }
        setAuthenticationChallengeHandler { session, task, challenge, _ in
            var credential: URLCredential?
            let disposition = block(
                session, FoundationTasks.task(for: task), challenge, &credential)
            switch (disposition, credential) {
            case (.useCredential, let credential?): return .use(credential)
            default: return Old.answer(disposition)
            }
        }
    }

    /// Called for a challenge, as in AFNetworking 4. The block returns a credential, an error, a disposition or its
    /// number, or nil if it calls the completion itself. If it returns another object, AFNetworking crashes; here the
    /// task fails with `URLError.userAuthenticationRequired`.
    @_disfavoredOverload
    @available(*, deprecated, message: "return an AuthenticationChallengeAnswer")
    @preconcurrency
    public func setAuthenticationChallengeHandler(
        _ handler:
            @escaping @Sendable (
                URLSession, URLSessionTask, URLAuthenticationChallenge,
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) -> Any?
    ) {
        setAuthenticationChallengeHandler { session, task, challenge, completion in
            Old.answer(
                handler(session, FoundationTasks.task(for: task), challenge, completion) as Any)
        }
    }

    /// Called with the number of bytes sent since the last call, sent in total, and expected to be sent.
    @_disfavoredOverload
    @available(*, deprecated, message: "write SessionTask in place of URLSessionTask")
    @preconcurrency
    public func setTaskDidSendBodyDataBlock(
        _ block: (@Sendable (URLSession, URLSessionTask, Int64, Int64, Int64) -> Void)?
    ) {
        guard let block else { return setTaskDidSendBodyDataBlock(nil) }
        setTaskDidSendBodyDataBlock { session, task, now, all, expected in
            block(session, FoundationTasks.task(for: task), now, all, expected)
        }
    }

    /// Called when a task has ended.
    @_disfavoredOverload
    @available(*, deprecated, message: "write SessionTask in place of URLSessionTask")
    @preconcurrency
    public func setTaskDidComplete(
        _ block: (@Sendable (URLSession, URLSessionTask, (any Error)?) -> Void)?
    ) {
        guard let block else { return setTaskDidComplete(nil) }
        setTaskDidComplete { session, task, error in
            block(session, FoundationTasks.task(for: task), error)
        }
    }

    /// Called when a task has ended, with nil, because only Foundation can make an object of its class. See
    /// `SessionTask.metrics`.
    @_disfavoredOverload
    @available(*, deprecated, message: "write RequestMetrics in place of URLSessionTaskMetrics")
    @preconcurrency
    public func setTaskDidFinishCollectingMetricsBlock(
        _ block: (@Sendable (URLSession, URLSessionTask, URLSessionTaskMetrics?) -> Void)?
    ) {
        guard let block else { return setTaskDidFinishCollectingMetricsBlock(nil) }
        setTaskDidFinishCollectingMetricsBlock { session, task, _ in
            block(session, FoundationTasks.task(for: task), nil)
        }
    }
}

// MARK: - Data tasks

extension URLSessionManager {
    /// Called with the response of a data task.
    @_disfavoredOverload
    @available(*, deprecated, message: "write SessionDataTask in place of URLSessionDataTask")
    @preconcurrency
    public func setDataTaskDidReceiveResponseBlock(
        _ block: (
            @Sendable (URLSession, URLSessionDataTask, URLResponse) ->
                URLSession.ResponseDisposition
        )?
    ) {
        guard let block else { return setDataTaskDidReceiveResponseBlock(nil) }
        setDataTaskDidReceiveResponseBlock { session, task, response in
            block(session, FoundationTasks.task(for: task), response)
        }
    }

    /// Called when a data task has become a download.
    @_disfavoredOverload
    @available(*, deprecated, message: "write SessionDataTask in place of URLSessionDataTask")
    @preconcurrency
    public func setDataTaskDidBecomeDownloadTaskBlock(
        _ block: (@Sendable (URLSession, URLSessionDataTask, URLSessionDownloadTask) -> Void)?
    ) {
        guard let block else { return setDataTaskDidBecomeDownloadTaskBlock(nil) }
        setDataTaskDidBecomeDownloadTaskBlock { session, task, download in
            block(session, FoundationTasks.task(for: task), FoundationTasks.task(for: download))
        }
    }

    /// Called with each piece of a data task's body.
    @_disfavoredOverload
    @available(*, deprecated, message: "write SessionDataTask in place of URLSessionDataTask")
    @preconcurrency
    public func setDataTaskDidReceiveDataBlock(
        _ block: (@Sendable (URLSession, URLSessionDataTask, Data) -> Void)?
    ) {
        guard let block else { return setDataTaskDidReceiveDataBlock(nil) }
        setDataTaskDidReceiveDataBlock { session, task, data in
            block(session, FoundationTasks.task(for: task), data)
        }
    }

    /// Called before a response is stored in the cache; returns the response to be stored.
    @_disfavoredOverload
    @available(*, deprecated, message: "write SessionDataTask in place of URLSessionDataTask")
    @preconcurrency
    public func setDataTaskWillCacheResponseBlock(
        _ block: (
            @Sendable (URLSession, URLSessionDataTask, CachedURLResponse) -> CachedURLResponse
        )?
    ) {
        guard let block else { return setDataTaskWillCacheResponseBlock(nil) }
        setDataTaskWillCacheResponseBlock { session, task, proposed in
            block(session, FoundationTasks.task(for: task), proposed)
        }
    }
}

// MARK: - Downloads

extension URLSessionManager {
    /// Called with the temporary file when a download has ended.
    @_disfavoredOverload
    @available(
        *, deprecated, message: "write SessionDownloadTask in place of URLSessionDownloadTask"
    )
    @preconcurrency
    public func setDownloadTaskDidFinishDownloadingBlock(
        _ block: (@Sendable (URLSession, URLSessionDownloadTask, URL) -> URL?)?
    ) {
        guard let block else { return setDownloadTaskDidFinishDownloadingBlock(nil) }
        setDownloadTaskDidFinishDownloadingBlock { session, task, file in
            block(session, FoundationTasks.task(for: task), file)
        }
    }

    /// Called with the number of bytes written since the last call, written in total, and expected.
    @_disfavoredOverload
    @available(
        *, deprecated, message: "write SessionDownloadTask in place of URLSessionDownloadTask"
    )
    @preconcurrency
    public func setDownloadTaskDidWriteDataBlock(
        _ block: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64, Int64) -> Void)?
    ) {
        guard let block else { return setDownloadTaskDidWriteDataBlock(nil) }
        setDownloadTaskDidWriteDataBlock { session, task, now, all, expected in
            block(session, FoundationTasks.task(for: task), now, all, expected)
        }
    }

    /// Called when a download is continued, with the offset at which it continues and the expected length of the file.
    @_disfavoredOverload
    @available(
        *, deprecated, message: "write SessionDownloadTask in place of URLSessionDownloadTask"
    )
    @preconcurrency
    public func setDownloadTaskDidResumeBlock(
        _ block: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64) -> Void)?
    ) {
        guard let block else { return setDownloadTaskDidResumeBlock(nil) }
        setDownloadTaskDidResumeBlock { session, task, offset, expected in
            block(session, FoundationTasks.task(for: task), offset, expected)
        }
    }
}

// MARK: - Challenge results

extension Old {
    static func answer(
        _ disposition: URLSession.AuthChallengeDisposition
    ) -> AuthenticationChallengeAnswer {
        switch disposition {
        case .cancelAuthenticationChallenge: .cancel
        case .rejectProtectionSpace: .rejectProtectionSpace
        default: .performDefaultHandling
        }
    }

    /// Converts the object that a block has returned, by its type, as AFNetworking 4 does.
    static func answer(_ value: Any) -> AuthenticationChallengeAnswer {
        switch value {
        case Optional<Any>.none: .handlerAnswers
        case let credential as URLCredential: .use(credential)
        case let disposition as URLSession.AuthChallengeDisposition: answer(disposition)
        case let number as Int:
            URLSession.AuthChallengeDisposition(rawValue: number).map(answer) ?? refusal(value)
        case let error as any Error: .fail(error)
        default: refusal(value)
        }
    }

    private static func refusal(_ value: Any) -> AuthenticationChallengeAnswer {
        .fail(
            URLError(
                .userAuthenticationRequired,
                userInfo: [NSLocalizedDescriptionKey: "A challenge handler returned \(value)."]))
    }
}
