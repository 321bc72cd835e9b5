import Foundation

/// Finds operations in Foundation's queues that can never begin, or have not begun for too long.
///
/// ## Concurrency
/// Call from: one thread. Lock: none.
struct QueueLook {
    private let queues: [OperationQueue]
    /// What each queue had when it last changed, and when that was.
    private var before: [(what: Set<ObjectIdentifier>, since: UInt64)]

    init(_ queues: [OperationQueue]) {
        self.queues = queues
        before = queues.map { _ in ([], 0) }
    }

    mutating func stalls(at now: UInt64, limit: UInt64) -> [Stall] {
        var stalls: [Stall] = []
        for (index, queue) in queues.enumerated() {
            let operations = queue.operations
            stalls += Self.cycles(among: operations)
            let what = Set(operations.map(ObjectIdentifier.init))
            if what != before[index].what { before[index] = (what, now) }
            let waited = now - before[index].since
            guard !operations.isEmpty, !queue.isSuspended, waited >= limit else { continue }
            stalls += Self.full(queue, operations, seconds: Double(waited) / 1e9)
        }
        return stalls
    }

    /// Operations that depend on each other in a cycle.
    private static func cycles(among operations: [Operation]) -> [Stall] {
        var stalls: [Stall] = []
        var seen: Set<ObjectIdentifier> = []
        for start in operations where !seen.contains(ObjectIdentifier(start)) {
            guard let cycle = cycle(from: start, &seen) else { continue }
            let names = cycle.map(name)
            let members = names.indices.map { index in
                Stall.Member(
                    kind: .operation, name: names[index],
                    waitsFor: "operation " + names[(index + 1) % names.count], seconds: 0,
                    place: "by a dependency")
            }
            stalls.append(Stall(members: members, isCycle: true))
        }
        return stalls
    }

    /// Follows each dependency once, without recursion: a chain may be longer than the stack.
    private static func cycle(
        from start: Operation, _ seen: inout Set<ObjectIdentifier>
    ) -> [Operation]? {
        // Each operation with the dependencies that are still to be followed, the first one last.
        var path: [(operation: Operation, rest: [Operation])] = []
        var indices: [ObjectIdentifier: Int] = [:]
        var next: Operation? = start
        repeat {
            if let operation = next {
                let id = ObjectIdentifier(operation)
                if let index = indices[id] { return path[index...].map(\.operation) }
                if !operation.isFinished, seen.insert(id).inserted {
                    indices[id] = path.count
                    path.append((operation, operation.dependencies.reversed()))
                }
            } else {
                indices[ObjectIdentifier(path.removeLast().operation)] = nil
            }
            next = path.indices.last.flatMap { path[$0].rest.popLast() }
        } while !path.isEmpty
        return nil
    }

    /// A queue whose concurrent operations do not end while others wait.
    private static func full(
        _ queue: OperationQueue, _ operations: [Operation], seconds: TimeInterval
    ) -> [Stall] {
        let running = operations.filter(\.isExecuting)
        let waiting = operations.filter { !$0.isExecuting && !$0.isFinished && $0.isReady }
        guard !running.isEmpty, !waiting.isEmpty,
            queue.maxConcurrentOperationCount == OperationQueue.defaultMaxConcurrentOperationCount
                || running.count >= queue.maxConcurrentOperationCount
        else { return [] }
        let label = queue.name ?? "of width \(queue.maxConcurrentOperationCount)"
        return [
            Stall(
                members: [
                    Stall.Member(
                        kind: .operation, name: waiting.map(name).prefix(4).joined(separator: ", "),
                        waitsFor: "queue " + label, seconds: seconds, place: "ready"),
                    Stall.Member(
                        kind: .queue, name: label,
                        waitsFor: "operation "
                            + running.map(name).prefix(4).joined(separator: ", "), seconds: seconds,
                        place: "\(running.count) executing, \(waiting.count) behind"),
                ], isCycle: false)
        ]
    }

    private static func name(_ operation: Operation) -> String {
        operation.name ?? "\(type(of: operation))"
    }
}
