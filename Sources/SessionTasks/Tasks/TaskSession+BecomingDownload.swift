import EventRecorder
import Foundation
import FoundationNetworking

extension TaskSession {
    /// Has a download take the place of a data task, with its transfer (UM-09). From any thread.
    ///
    /// - Parameter goOn: called once the delegate knows the download.
    func becomeDownload(
        _ task: SessionTask, of transfer: any TaskTransfer, _ response: URLResponse,
        expecting expected: Int64, _ goOn: @escaping @Sendable () -> Void
    ) {
        guard let data = task as? SessionDataTask, task.isPresent(transfer) else { return }
        let file = DownloadFile()
        _ = file.begin(task.currentRequest ?? task.source.request)
        let download = SessionDownloadTask(
            .download(task.source.request), .ready(transfer, self), file, task.stream)
        guard let wasSuspended = task.giveUp(transfer) else { return }
        download.takeOver(isSuspended: wasSuspended)
        list(download)
        transfer.attach(to: download)
        unlist(task)
        delegateQueue.addOperation {
            do {
                download.note(response, from: try file.begin(response), expected)
            } catch {
                download.fail(with: error)
            }
            task.noteEnd(nil)
            self.delegate?.session(self, dataTask: data, didBecome: download)
            goOn()
        }
    }
}

extension SessionTask {
    /// Ends a data task whose transfer goes on as a download.
    ///
    /// - Returns: how often it is suspended; nil when it has ended already.
    fileprivate func giveUp(_ transfer: any TaskTransfer) -> Int? {
        driving.withLock {
            lock.withLock {
                guard values.phase == .live, values.transfer === transfer else { return nil }
                values.phase = .completed
                values.transfer = nil
                values.session = nil
                return values.suspendCount
            }
        }
    }

    /// Goes on with the transfer of a data task.
    fileprivate func takeOver(isSuspended count: Int) {
        lock.withLock {
            values.suspendCount = count
            values.isTransferStarted = count == 0
            values.wasTransferStarted = true
            values.wasStarted = true
            values.start = Date()
        }
        EventRecorder.begin(.sessionTask, subject: number, text: eventText)
    }
}
