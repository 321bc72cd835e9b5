import Foundation
import FoundationNetworking
import Synchronization

// What a copy of an operation has.

extension URLConnectionOperation {
    /// A new operation, ready to start, for the same request.
    func makeCopy() -> URLConnectionOperation {
        let original = lock.withLock {
            // Made by now, so that both have the same.
            _ = guarded.securityPolicy
            return guarded
        }
        let copy = CopySource.copy(self) ?? baseCopy()
        copy.write {
            // By CO-6, and by wound 5 what protects it.
            $0.sharedSettings = original.sharedSettings
            $0.sharedBlocks = original.sharedBlocks
            $0.dropStreams()
            $0.requestBeforePause = original.requestBeforePause
            let stream = $0.request.httpBodyStream
            $0.requestBeforePause?.httpBodyStream = stream
        }
        copy.reportsBytes.store(reportsBytes.load(ordering: .relaxed), ordering: .relaxed)
        return copy
    }

    private func baseCopy() -> URLConnectionOperation {
        self is HTTPRequestOperation
            ? HTTPRequestOperation(request: freshRequest)
            : URLConnectionOperation(request: freshRequest)
    }

    /// The request with a body that can be sent, where that can be made anew.
    var freshRequest: URLRequest {
        let request = lock.withLock { guarded.request }
        return (try? ReplayedBody.fresh(request)) ?? request
    }
}
