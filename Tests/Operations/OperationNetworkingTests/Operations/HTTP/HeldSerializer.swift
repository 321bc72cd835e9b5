import CurlConnection
import TestSupport

@testable import OperationNetworking

/// A serializer that stops in the middle until it is let go on.
final class HeldSerializer: HTTPResponseSerializer, @unchecked Sendable {
    // @unchecked because it restates the superclass; what it adds guards itself.
    let entered = Signal()
    let gate = DispatchSemaphore(value: 0)
    let inside = Locked<(@Sendable () -> Void)?>(nil)
    let result = Locked(SerializedResponse(object: NSObject(), error: nil))

    override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse {
        entered.fire()
        inside.withLock { $0 }?()
        _ = gate.wait(timeout: .now() + patience)
        return result.withLock { $0 }
    }
}

/// A JSON serializer that counts its calls.
final class CountingSerializer: JSONResponseSerializer, @unchecked Sendable {
    // @unchecked because it restates the superclass; what it adds guards itself.
    private let calls = Locked(0)

    var count: Int { calls.withLock { $0 } }

    override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse {
        calls.withLock { $0 += 1 }
        return super.responseObject(for: response, data: data)
    }
}
