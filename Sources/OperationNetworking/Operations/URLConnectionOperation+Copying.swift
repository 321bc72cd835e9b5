import Foundation
import FoundationNetworking
import Synchronization

// What a copy of an operation has.

extension URLConnectionOperation {
    /// A new operation, ready to start, for the same request.
    func makeCopy() -> Self {
        let original = lock.withLock {
            // Made by now, so that both have the same.
            _ = guarded.securityPolicy
            return guarded
        }
        let request = (try? ReplayedBody.fresh(original.request)) ?? original.request
        let copy = Self(request: request)
        copy.write {
            // By CO-6, and by wound 5 what protects it.
            $0.sharedSettings = original.sharedSettings
            $0.sharedBlocks = original.sharedBlocks
            $0.requestBeforePause = original.requestBeforePause
            $0.requestBeforePause?.httpBodyStream = request.httpBodyStream
        }
        copy.mayTellOfBytes.store(mayTellOfBytes.load(ordering: .relaxed), ordering: .relaxed)
        return copy
    }
}
