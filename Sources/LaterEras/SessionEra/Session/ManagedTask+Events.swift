import Foundation
import FoundationNetworking
import OperationNetworking

// The manager's own work for each event, then the caller's blocks. The manager is the one
// that the session belongs to by then.
extension ManagedTask: TaskHandler {
    package func handle(_ event: TaskEvent, of task: SessionTask, in session: TaskSession) {
        guard let settings = Self.settings(of: session) else { return }
        switch event {
        case .sent(let bytes, let total, let expected):
            didSend(task)
            settings.value.blocks.didSendBodyData?(session.urlSession, task, bytes, total, expected)
        case .response(let response): begin(response)
        case .data(let data):
            guard let task = task as? SessionDataTask else { return }
            append(data, of: task, within: session.limitOfBodyInMemory)
            didReceive(task)
            settings.value.blocks.didReceiveData?(session.urlSession, task, data)
        case .resumed(let offset, let expected):
            guard let task = task as? SessionDownloadTask else { return }
            didReceive(task)
            settings.value.blocks.didResume?(session.urlSession, task, offset, expected)
        case .wrote(let bytes, let total, let expected):
            guard let task = task as? SessionDownloadTask else { return }
            didReceive(task)
            settings.value.blocks.didWriteData?(session.urlSession, task, bytes, total, expected)
        case .becameDownload(let download):
            guard let task = task as? SessionDataTask else { return }
            becameDownload()
            settings.value.blocks.didBecomeDownload?(session.urlSession, task, download)
        case .file(let file):
            guard let task = task as? SessionDownloadTask else { return }
            // The manager's own block takes precedence.
            let place = settings.value.blocks.didFinishDownloading?(session.urlSession, task, file)
            move(file, of: task, to: place, settings)
        case .metrics(let metrics):
            settings.value.blocks.didFinishCollecting?(session.urlSession, task, metrics)
        case .ended(let error):
            guard finish(task, settings, error, isSilent: false, in: session) else { return }
            settings.value.blocks.didComplete?(session.urlSession, task, error)
        }
    }

    package func handle(_ question: TaskQuestion, of task: SessionTask, in session: TaskSession) {
        guard let settings = Self.settings(of: session) else {
            return question.answerByDefault(for: task)
        }
        switch question {
        case .redirect(let response, let request, let answer):
            if let block = settings.value.blocks.willRedirect {
                return answer(block(session.urlSession, task, response, request))
            }
        case .challenge(let challenge, let answer):
            if challenge.isForSession, let block = settings.value.blocks.sessionChallenge {
                let (disposition, credential) = block(session.urlSession, challenge)
                return answer(disposition, credential)
            }
            if let handler = settings.value.blocks.challengeHandler {
                return handler(session.urlSession, task, challenge, answer)
                    .give(to: answer, of: task)
            }
        case .body(let answer):
            if let block = settings.value.blocks.needNewBodyStream {
                if let stream = block(session.urlSession, task) { return answer(stream) }
                // An empty body would be sent, and count as success.
                return task.fail(
                    with: URLError(
                        .requestBodyStreamExhausted, url: task.originalRequest?.url,
                        text: "The block for a new body stream gave none."))
            }
        case .disposition(let response, let answer):
            begin(response)
            if let block = settings.value.blocks.didReceiveResponse,
                let task = task as? SessionDataTask
            {
                return answer(block(session.urlSession, task, response))
            }
        case .store(let proposed, let answer):
            if let block = settings.value.blocks.willCacheResponse,
                let task = task as? SessionDataTask
            {
                return answer(block(session.urlSession, task, proposed))
            }
        }
        question.answerByDefault(for: task)
    }

    private static func settings(of session: TaskSession) -> SettingsObject? {
        (session.lastDelegate as? URLSessionManager)?.current
    }
}
