import Foundation

/// Nothing but blocks on a concurrent dispatch queue: what a program costs that only has used one.
final class DispatchRival: Rival {
    init(_ assignment: Assignment) {}

    func get(_ ended: @escaping @Sendable (Reply) -> Void) {
        DispatchQueue.global().async { ended(Reply(isGood: true)) }
    }

    func cancelAll() {}

    func down(to path: String?, _ ended: @escaping @Sendable (Reply) -> Void) {
        get(ended)
    }

    func up(from path: String, _ ended: @escaping @Sendable (Reply) -> Void) {
        get(ended)
    }
}
