import FoundationNetworking
import RequestEra
import SessionTasks

/// Converts closures that take this package's task (`Own`) into closures that take Foundation's (`Shown`), and back.
struct TaskKind<Own: SessionTask, Shown: URLSessionTask>: Sendable {
    /// The Foundation task that stands for one of this package.
    let foundationTask: @Sendable (Own) -> Shown

    /// The task of this package that a Foundation task stands for. Nil for a task that this package did not make, such
    /// as one of a `URLSession` that the program made.
    func sessionTask(of task: Shown) -> Own? { task.ownTask as? Own }

    /// The closure of a program, as one that takes this package's task.
    func fromFoundation<Result>(
        _ closure: (@Sendable (URLSession, Shown) -> Result)?
    ) -> (@Sendable (URLSession, Own) -> Result)? {
        guard let closure else { return nil }
        return { closure($0, foundationTask($1)) }
    }

    /// This package's closure, as one that takes Foundation's task.
    ///
    /// - Parameter other: gives the result for a task that this package did not make.
    func toFoundation<Result>(
        _ closure: (@Sendable (URLSession, Own) -> Result)?,
        _ other: @escaping @Sendable () -> Result
    ) -> (@Sendable (URLSession, Shown) -> Result)? {
        guard let closure else { return nil }
        return { session, task in
            guard let task = sessionTask(of: task) else { return other() }
            return closure(session, task)
        }
    }

    func fromFoundation<A, Result>(
        _ closure: (@Sendable (URLSession, Shown, A) -> Result)?
    ) -> (@Sendable (URLSession, Own, A) -> Result)? {
        guard let closure else { return nil }
        return { closure($0, foundationTask($1), $2) }
    }

    /// - Parameter other: gives the result for a task that this package did not make.
    func toFoundation<A, Result>(
        _ closure: (@Sendable (URLSession, Own, A) -> Result)?,
        _ other: @escaping @Sendable (A) -> Result
    ) -> (@Sendable (URLSession, Shown, A) -> Result)? {
        guard let closure else { return nil }
        return { session, task, a in
            guard let task = sessionTask(of: task) else { return other(a) }
            return closure(session, task, a)
        }
    }

    func fromFoundation<A, B, Result>(
        _ closure: (@Sendable (URLSession, Shown, A, B) -> Result)?
    ) -> (@Sendable (URLSession, Own, A, B) -> Result)? {
        guard let closure else { return nil }
        return { closure($0, foundationTask($1), $2, $3) }
    }

    /// - Parameter other: gives the result for a task that this package did not make.
    func toFoundation<A, B, Result>(
        _ closure: (@Sendable (URLSession, Own, A, B) -> Result)?,
        _ other: @escaping @Sendable (A, B) -> Result
    ) -> (@Sendable (URLSession, Shown, A, B) -> Result)? {
        guard let closure else { return nil }
        return { session, task, a, b in
            guard let task = sessionTask(of: task) else { return other(a, b) }
            return closure(session, task, a, b)
        }
    }

    func fromFoundation<A, B, C, Result>(
        _ closure: (@Sendable (URLSession, Shown, A, B, C) -> Result)?
    ) -> (@Sendable (URLSession, Own, A, B, C) -> Result)? {
        guard let closure else { return nil }
        return { closure($0, foundationTask($1), $2, $3, $4) }
    }

    /// - Parameter other: gives the result for a task that this package did not make.
    func toFoundation<A, B, C, Result>(
        _ closure: (@Sendable (URLSession, Own, A, B, C) -> Result)?,
        _ other: @escaping @Sendable (A, B, C) -> Result
    ) -> (@Sendable (URLSession, Shown, A, B, C) -> Result)? {
        guard let closure else { return nil }
        return { session, task, a, b, c in
            guard let task = sessionTask(of: task) else { return other(a, b, c) }
            return closure(session, task, a, b, c)
        }
    }
}

extension TaskKind where Own == SessionTask, Shown == URLSessionTask {
    static var any: Self { Self { FoundationTasks.task(for: $0) } }
}

extension TaskKind where Own == SessionDataTask, Shown == URLSessionDataTask {
    static var data: Self { Self { FoundationTasks.task(for: $0) } }
}

extension TaskKind where Own == SessionDownloadTask, Shown == URLSessionDownloadTask {
    static var download: Self { Self { FoundationTasks.task(for: $0) } }
}
