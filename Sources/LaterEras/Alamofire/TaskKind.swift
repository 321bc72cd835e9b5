import FoundationNetworking
import RequestEra
import SessionTasks

/// How closures with this port's task, and those with Foundation's, are made of each other.
struct TaskKind<Own: SessionTask, Task: URLSessionTask>: Sendable {
    let show: @Sendable (Own) -> Task

    /// Nil for a task of a program's own session.
    func own(_ task: Task) -> Own? { task.ownTask as? Own }

    func own<Result>(
        _ closure: (@Sendable (URLSession, Task) -> Result)?
    ) -> (@Sendable (URLSession, Own) -> Result)? {
        guard let closure else { return nil }
        return { closure($0, show($1)) }
    }

    /// - Parameter other: answers for a task of a program's own session.
    func shown<Result>(
        _ closure: (@Sendable (URLSession, Own) -> Result)?,
        _ other: @escaping @Sendable () -> Result
    ) -> (@Sendable (URLSession, Task) -> Result)? {
        guard let closure else { return nil }
        return { session, task in
            guard let task = own(task) else { return other() }
            return closure(session, task)
        }
    }

    func own<A, Result>(
        _ closure: (@Sendable (URLSession, Task, A) -> Result)?
    ) -> (@Sendable (URLSession, Own, A) -> Result)? {
        guard let closure else { return nil }
        return { closure($0, show($1), $2) }
    }

    /// - Parameter other: answers for a task of a program's own session.
    func shown<A, Result>(
        _ closure: (@Sendable (URLSession, Own, A) -> Result)?,
        _ other: @escaping @Sendable (A) -> Result
    ) -> (@Sendable (URLSession, Task, A) -> Result)? {
        guard let closure else { return nil }
        return { session, task, a in
            guard let task = own(task) else { return other(a) }
            return closure(session, task, a)
        }
    }

    func own<A, B, Result>(
        _ closure: (@Sendable (URLSession, Task, A, B) -> Result)?
    ) -> (@Sendable (URLSession, Own, A, B) -> Result)? {
        guard let closure else { return nil }
        return { closure($0, show($1), $2, $3) }
    }

    /// - Parameter other: answers for a task of a program's own session.
    func shown<A, B, Result>(
        _ closure: (@Sendable (URLSession, Own, A, B) -> Result)?,
        _ other: @escaping @Sendable (A, B) -> Result
    ) -> (@Sendable (URLSession, Task, A, B) -> Result)? {
        guard let closure else { return nil }
        return { session, task, a, b in
            guard let task = own(task) else { return other(a, b) }
            return closure(session, task, a, b)
        }
    }

    func own<A, B, C, Result>(
        _ closure: (@Sendable (URLSession, Task, A, B, C) -> Result)?
    ) -> (@Sendable (URLSession, Own, A, B, C) -> Result)? {
        guard let closure else { return nil }
        return { closure($0, show($1), $2, $3, $4) }
    }

    /// - Parameter other: answers for a task of a program's own session.
    func shown<A, B, C, Result>(
        _ closure: (@Sendable (URLSession, Own, A, B, C) -> Result)?,
        _ other: @escaping @Sendable (A, B, C) -> Result
    ) -> (@Sendable (URLSession, Task, A, B, C) -> Result)? {
        guard let closure else { return nil }
        return { session, task, a, b, c in
            guard let task = own(task) else { return other(a, b, c) }
            return closure(session, task, a, b, c)
        }
    }
}

extension TaskKind where Own == SessionTask, Task == URLSessionTask {
    static var any: Self { Self { FoundationTasks.task(for: $0) } }
}

extension TaskKind where Own == SessionDataTask, Task == URLSessionDataTask {
    static var data: Self { Self { FoundationTasks.task(for: $0) } }
}

extension TaskKind where Own == SessionDownloadTask, Task == URLSessionDownloadTask {
    static var download: Self { Self { FoundationTasks.task(for: $0) } }
}
