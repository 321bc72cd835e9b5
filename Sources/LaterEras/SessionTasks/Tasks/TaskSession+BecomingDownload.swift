import EventRecorder
import Foundation
import FoundationNetworking
import OperationNetworking

extension TaskSession {
    /// Has a download take the place of a data task, with its transfer (UM-09). From any thread.
    ///
    /// It does so in one call on the delegate queue, so that each call of the transfer's is for the one or
    /// the other. Who has the data task still drives the download by it. To an observer the data task ends here.
    ///
    /// - Parameter goOn: called once the handler knows the download.
    func becomeDownload(
        _ task: SessionTask, of transfer: ConnectionTransfer, _ response: URLResponse,
        _ goOn: @escaping @Sendable () -> Void
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
            self.tellOfMaking(download)
            self.list(download)
            transfer.attach(to: download)
            self.unlist(task)
            // The data task may have been resumed or suspended just before.
            transfer.follow()
            do {
                download.note(
                    response, from: try file.begin(response), response.expectedContentLength)
            } catch {
                download.fail(with: error)
            }
            task.noteEnd(nil)
            self.tellObserver(ofEndOf: task, nil)
            self.tellObserver(of: download) { $0.requestDidStart($1) }
            self.tellObserver(of: download) { $0.request($1, didReceive: response) }
            self.call(task, .becameDownload(download))
            task.handler = nil
            goOn()
        }
    }
}

extension SessionTask {
    /// Ends a data task whose load goes on as a download, suspended as often.
    ///
    /// - Returns: false when its end has begun.
    fileprivate func becomes(_ download: SessionDownloadTask) -> Bool {
        lock.withLock {
            guard let state = values.state.becomes(download) else { return false }
            values.letGo()
            download.takeOver(state, queued: values.queued)
            return true
        }
    }

    /// Goes on from the state of a data task, under that task's lock: nobody else has this one yet.
    private func takeOver(_ state: TaskState, queued: UInt64) {
        lock.withLock {
            values.state = state
            values.queued = queued
        }
    }
}
