import Foundation
import Locking
import LoopbackServer
import SmallPort8Completion

/// The experiments of lessons 10 and 13: on which thread the blocks of a caller run, and in which order.
enum CompletionExperiments {
    // MARK: Lesson 10

    static func queues() throws -> ExperimentResult {
        let variants: [Mistake?] = [nil, .completionHere, .completionUnderLock]
        let others = try variants.map(otherRequestEnds)
        let readers = try variants.map(otherThreadReads)
        return ExperimentResult(
            variants: variants.map { $0?.rawValue ?? "correct" },
            facts: [
                .init(
                    Words(
                        "another request ends while a completion block waits",
                        "一个 completion block 等待时，另一个请求能结束"),
                    others),
                .init(
                    Words(
                        "another thread reads the result while the block waits",
                        "block 等待时，另一个线程能读到结果"),
                    readers),
            ],
            answer: others[1] ? 1 : 2)
    }

    /// Whether a second request can end while the completion block of the first one is blocked.
    private static func otherRequestEnds(_ mistake: Mistake?) throws -> Bool {
        let thread = NetworkThread()
        defer { thread.stop() }
        Picture.watch(thread.perform)
        return try withServer(mistake) { server in
            let (isInside, mayGoOn, otherEnd) = (Moment(), Moment(), Moment())
            let first = URLOperation(server.url("/plain"), on: thread, mistake: mistake) { _ in
                Picture.block("completion") {
                    isInside.signal()
                    _ = mayGoOn.wait()
                }
            }
            first.observer = Picture.observer("GET /plain, first")
            first.start()
            guard isInside.wait() else { return false }
            defer { mayGoOn.signal() }
            let second = URLOperation(server.url("/plain"), on: thread) { _ in otherEnd.signal() }
            second.observer = Picture.observer("GET /plain, second")
            second.start()
            return otherEnd.wait(within: Patience.forWhat(happens: mistake == nil))
        }
    }

    /// Whether a second thread can read the operation's body while the completion block waits for that thread.
    private static func otherThreadReads(_ mistake: Mistake?) throws -> Bool {
        let thread = NetworkThread()
        defer { thread.stop() }
        Picture.watch(thread.perform)
        return try withServer(mistake) { server in
            let (isOver, hasRead) = (Moment(), Locked(false))
            let itself = Locked<URLOperation?>(nil)
            let operation = URLOperation(
                server.url("/plain"), on: thread, mistake: mistake,
                lock: Picture.lock() ?? NSRecursiveLock()
            ) { _ in
                Picture.block("completion") {
                    let operation = itself.withLock { $0 }
                    let read = onNewThread("reader") { _ = operation?.body }
                    let patience = Patience.forWhat(happens: mistake != .completionUnderLock)
                    hasRead.withLock { $0 = Picture.wait(for: read, within: patience) }
                }
                isOver.signal()
            }
            operation.observer = Picture.observer("GET /plain")
            itself.withLock { $0 = operation }
            defer { itself.withLock { $0 = nil } }
            operation.start()
            return isOver.wait() && hasRead.withLock { $0 }
        }
    }

    // MARK: Lesson 13

    /// Whether a queue of callbacks that is eight wide (`.width8`) changes the order of the pieces of a body. There are two
    /// pieces, "A" and "B". The block that gets "A" waits until the block for "B" has run and the end was reported, or a time limit
    /// is over. Each block appends its piece to a text, which stands for a file.
    static func width() throws -> ExperimentResult {
        let (correct, mistaken) = (try file(nil), try file(.width8))
        return ExperimentResult(
            variants: ["correct", Mistake.width8.rawValue],
            facts: [
                .init(Words("the server's body", "服务器发送的 body"), ["AB", "AB"]),
                .init(Words("the file", "写出的文件"), [correct.text, mistaken.text]),
                .init(
                    Words(
                        "the end was reported before all of the body was in the file",
                        "body 未写完就通知了结束"),
                    [correct.wasEarly, mistaken.wasEarly]),
            ],
            answer: mistaken.text == "AB" ? 1 : mistaken.text == "BA" ? 2 : nil)
    }

    private static func file(_ mistake: Mistake?) throws -> (text: String, wasEarly: Bool) {
        let thread = NetworkThread()
        defer { thread.stop() }
        Picture.watch(thread.perform)
        return try withServer(mistake) { server in
            let file = Locked("")
            let (isInside, mayGoOn, hasSecond, end) = (Moment(), Moment(), Moment(), Moment())
            let operation = URLOperation(server.url("/pieces"), on: thread, mistake: mistake) { _ in
                end.signal()
            }
            operation.observer = Picture.observer("GET /pieces")
            operation.progress = { piece in
                let text = String(decoding: piece, as: UTF8.self)
                Picture.block("piece " + text) {
                    if text == "A" {
                        isInside.signal()
                        _ = mayGoOn.wait()
                    }
                    file.withLock { $0 += text }
                }
                if text == "B" { hasSecond.signal() }
            }
            operation.start()
            guard isInside.wait() else { return ("", false) }
            server.release("second")
            let patience = Patience.forWhat(happens: mistake == .width8)
            _ = hasSecond.wait(within: patience)
            let wasEarly = end.wait(within: patience)
            mayGoOn.signal()
            _ = Patience.until { file.withLock { $0.count } == 2 } && end.wait()
            return (file.withLock { $0 }, wasEarly)
        }
    }
}
