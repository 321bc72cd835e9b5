import CurlConnection
import Foundation
import FoundationNetworking

/// What a serializer made of an answer; made once, by whoever asks first, while others wait.
///
/// The serializer runs without a lock, so nothing but another question for the object waits for it
/// (wounds 30, 55). One that asks for the object itself, on its own thread, gets none.
///
/// ## Concurrency
/// Call from: any thread. Lock: one condition around the variables. Calls out on: the caller's
/// thread (the serializer), not under the lock.
final class SerializedAnswer: @unchecked Sendable {
    // @unchecked because the variables are guarded by `condition`; what a serializer made is handed
    // on as the original did, to everybody who asks.
    private enum State {
        case none
        case underWay(Thread)
        case made(SerializedResponse)
    }

    private let condition = NSCondition()
    private var state = State.none
    /// Nil until one is set or somebody asks for it, and may change it.
    private var chosen: HTTPResponseSerializer?
    /// The answer that each thread inside `steadily` was given.
    private var given: [ObjectIdentifier: SerializedResponse?] = [:]

    init(_ serializer: HTTPResponseSerializer? = nil) {
        chosen = serializer
    }

    /// The lock is held.
    private var current: HTTPResponseSerializer {
        let serializer = chosen ?? HTTPResponseSerializer()
        chosen = serializer
        return serializer
    }

    /// Setting it forgets what the last one made (HO-17).
    var serializer: HTTPResponseSerializer {
        get { condition.withLock { current } }
        set {
            let old = condition.withLock {
                defer {
                    chosen = newValue
                    state = .none
                    condition.broadcast()
                }
                return (chosen, state)
            }
            // What a caller made goes after the lock: it may ask something when it goes.
            withExtendedLifetime(old) {}
        }
    }

    /// The error, once an object was asked for (HO-2).
    var error: (any Error)? {
        condition.withLock {
            if let answer = given[.current] ?? nil { return answer.error }
            if case .made(let answer) = state { return answer.error }
            return nil
        }
    }

    /// Runs a block whose thread sees, as `error`, the one that belongs to the object it was given,
    /// also when a serializer was set in between.
    func steadily(_ body: () -> Void) {
        condition.withLock { given[.current] = .some(nil) }
        body()
        let answer = condition.withLock { given.removeValue(forKey: .current) }
        withExtendedLifetime(answer) {}
    }

    /// Whether the object is the body as it is, which a head alone can tell.
    func isBody(_ response: LateResponse) -> Bool {
        condition.withLock {
            guard case .none = state else { return false }
            return chosen.map { $0.takesBody(with: response.statusCode) }
                ?? (200..<300).contains(response.statusCode)
        }
    }

    /// What the serializer makes of an answer, now or before (HO-1).
    func object(of response: URLResponse?, _ data: Data?) -> Any? {
        let serializer: HTTPResponseSerializer
        switch claim() {
        case .made(let answer): return answer.object
        case .underWay: return nil
        case .mine(let current): serializer = current
        }
        let answer = serializer.responseObject(for: response, data: data)
        condition.withLock {
            // Replaced meanwhile: then this answer is this caller's alone.
            if current === serializer, case .underWay(.current) = state {
                state = .made(answer)
            }
            note(answer)
            condition.broadcast()
        }
        return answer.object
    }

    /// The lock is held.
    private func note(_ answer: SerializedResponse) {
        if given[.current] != nil {
            given[.current] = answer
        }
    }

    private enum Claim {
        case mine(HTTPResponseSerializer)
        case underWay
        case made(SerializedResponse)
    }

    private func claim() -> Claim {
        condition.withLock {
            while true {
                switch state {
                case .none:
                    state = .underWay(.current)
                    return .mine(current)
                case .made(let answer):
                    note(answer)
                    return .made(answer)
                case .underWay(.current):
                    return .underWay
                case .underWay:
                    condition.wait()
                }
            }
        }
    }
}

extension ObjectIdentifier {
    /// The thread this runs on.
    fileprivate static var current: ObjectIdentifier { ObjectIdentifier(Thread.current) }
}
