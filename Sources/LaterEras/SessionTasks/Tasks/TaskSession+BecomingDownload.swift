import EventRecorder
import Foundation
import FoundationNetworking
import Locking
import OperationNetworking

extension TaskSession {
    /// Replaces a data task by a download, which gets its load. From any thread.
    ///
    /// It does so in one call on the delegate queue, so that each event of the load is for the one or
    /// the other. Methods of the data task then act on the download. For an observer the data task ends here.
    ///
    /// - Parameter completion: called after the handler.
    func becomeDownload(
        _ task: SessionTask, of transfer: ConnectionTransfer, _ response: URLResponse,
        _ completion: @escaping @Sendable () -> Void
    ) {
        delegateQueue.addOperation {
            let file = DownloadFile()
            _ = file.begin(task.currentRequest ?? task.source.request)
            let download = SessionDownloadTask(
                .download(task.source.request), .ready(transfer, self), file, task.stream)
            let handler = task.handler
            download.handler = handler
            guard task.becomes(download) else { return }
            EventRecorder.begin(.sessionTask, subject: download.number, text: download.eventText)
            self.notifyObserver(ofMaking: download)
            self.list(download)
            transfer.attach(to: download)
            self.unlist(task)
            // The data task may have been resumed or suspended just before.
            transfer.follow()
            do {
                download.note(response, from: try file.begin(response))
            } catch {
                download.fail(with: error)
            }
            task.noteEnd(nil)
            self.notifyObserver(ofEndOf: task, nil)
            self.notifyObserver(of: download) { $0.requestDidStart($1) }
            self.notifyObserver(of: download) { $0.request($1, didReceive: response) }
            self.call(task, .becameDownload(download))
            task.handler = nil
            completion()
        }
    }
}

extension SessionTask {
    /// Ends a data task, whose load goes to a download that is suspended as often.
    ///
    /// - Returns: false when its end has begun.
    fileprivate func becomes(_ download: SessionDownloadTask) -> Bool {
        values.withLock { values in
            guard let state = values.state.becomes(download) else { return false }
            values.releaseLoad()
            let queued = values.queued
            // Under this lock too: no other code has the download yet.
            download.values.withLock { values in
                values.state = state
                values.queued = queued
            }
            return true
        }
    }
}
