import EventRecorder
import Foundation
import FoundationNetworking

extension TaskSession {
    /// Has a download take the place of a data task, with its transfer (UM-09). From any thread.
    ///
    /// It does so in one call on the delegate queue, so that each call of the transfer's is for the one or
    /// the other. Who has the data task still drives the download by it.
    ///
    /// - Parameter goOn: called once the delegate knows the download.
    func becomeDownload(
        _ task: SessionTask, of transfer: ConnectionTransfer, _ response: URLResponse,
        expecting expected: Int64, _ goOn: @escaping @Sendable () -> Void
    ) {
        guard let data = task as? SessionDataTask else { return }
        delegateQueue.addOperation {
            let file = DownloadFile()
            _ = file.begin(task.currentRequest ?? task.source.request)
            let download = SessionDownloadTask(
                .download(task.source.request), .ready(transfer, self), file, task.stream)
            guard task.giveUp(transfer, to: download) else { return }
            EventRecorder.begin(.sessionTask, subject: download.number, text: download.eventText)
            self.list(download)
            transfer.attach(to: download)
            self.unlist(task)
            download.goOn(with: transfer)
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
    /// Ends a data task whose transfer goes on as a download, suspended as often.
    ///
    /// - Returns: false when it has ended already.
    fileprivate func giveUp(_ transfer: ConnectionTransfer, to download: SessionDownloadTask)
        -> Bool
    {
        driving.withLock {
            lock.withLock {
                guard values.phase == .live, values.transfer === transfer else { return false }
                values.phase = .completed
                values.transfer = nil
                values.session = nil
                values.successor = download
                download.takeOver(isSuspended: values.suspendCount)
                return true
            }
        }
    }

    /// Takes the transfer of a data task, under that task's lock: nobody has this one yet.
    private func takeOver(isSuspended count: Int) {
        lock.withLock {
            values.suspendCount = count
            values.isTransferStarted = count == 0
            values.wasTransferStarted = true
            values.wasStarted = true
            values.start = Date()
        }
    }

    /// Has the transfer go on where the data task was resumed just before it gave it up.
    fileprivate func goOn(with transfer: ConnectionTransfer) {
        driving.withLock {
            if lock.withLock({ values.phase == .live && values.suspendCount == 0 }) {
                transfer.resume()
            }
        }
    }
}
