import TestSupport

@testable import OperationNetworking

@Suite("Request serializers on many threads", .timeLimit(.minutes(5)))
struct RequestSnapshotTests {
    /// Two writers set one number in everything at once; eight builders look for mixtures.
    @Test
    func `a request is of one moment: all old or all new, headers and properties alike`() throws {
        let serializer = JSONRequestSerializer()
        let room = Room()
        for writer in 0..<2 {
            room.enter {
                for number in 1...20_000 where !room.isOver {
                    Self.set(number * 2 + writer, in: serializer)
                    serializer.setValue("\(number)", forHTTPHeaderField: "X-Other")
                    serializer.stringEncoding = number.isMultiple(of: 2) ? .utf8 : .ascii
                    serializer.httpMethodsEncodingParametersInURI = ["GET", "W\(number)"]
                }
            }
        }
        let builders = (0..<8).map { builder in
            room.enter {
                for _ in 0..<400 {
                    let request = try? serializer.request(
                        method: builder.isMultiple(of: 2) ? "GET" : "POST",
                        urlString: "http://h/p", parameters: ["k": "v"])
                    room.note(request.map(Self.numbers) ?? ["no request"])
                }
            }
        }
        for builder in builders { builder.wait() }
        room.leave()
        #expect(room.seen.count > 1, "the writers were never seen")
        #expect(room.seen.allSatisfy { $0.count == 1 }, "\(room.seen.filter { $0.count > 1 })")
    }

    private static func set(_ number: Int, in serializer: HTTPRequestSerializer) {
        serializer.update { settings in
            for field in ["X-A", "X-B", "X-C"] { settings.setHeader(field, to: "\(number)") }
            settings.timeoutInterval = TimeInterval(number)
        }
    }

    private static func numbers(_ request: URLRequest) -> Set<String> {
        let fields = ["X-A", "X-B", "X-C"].compactMap { request.value(forHTTPHeaderField: $0) }
        // Before the first writer came, none of the fields is set.
        return fields.isEmpty ? ["none"] : Set(fields + ["\(Int(request.timeoutInterval))"])
    }

    @Test
    func `several headers set at once are seen all old or all new, and nil takes one away`() {
        let serializer = HTTPRequestSerializer()
        serializer.setHTTPHeaderFields(["X-A": "0", "X-B": "0"])
        let room = Room()
        for writer in 1...2 {
            room.enter {
                for number in 0..<2_000 {
                    let text = "\(writer) \(number)"
                    serializer.setHTTPHeaderFields(["X-A": text, "X-B": text])
                }
            }
        }
        for _ in 0..<2_000 {
            let request = try? serializer.request(
                method: "GET", urlString: "http://h/", parameters: nil)
            let values = ["X-A", "X-B"].map { request?.value(forHTTPHeaderField: $0) }
            guard values[0] != values[1] else { continue }
            Issue.record("\(values)")
            break
        }
        room.leave()
        serializer.setHTTPHeaderFields(["x-a": nil, "X-C": "1"])
        #expect(serializer.value(forHTTPHeaderField: "X-A") == nil)
        #expect(serializer.value(forHTTPHeaderField: "X-C") == "1")
    }

    @Test
    func `a change between the two steps of a request does not reach it`() throws {
        let serializer = MeddlingSerializer()
        serializer.setValue("old", forHTTPHeaderField: "X-A")
        serializer.meddle = { serializer in
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                serializer.setValue("new", forHTTPHeaderField: "X-A")
                done.signal()
            }
            done.wait()
        }
        let request = try serializer.request(method: "GET", urlString: "http://h/", parameters: nil)
        #expect(request.value(forHTTPHeaderField: "X-A") == "old")
        #expect(serializer.value(forHTTPHeaderField: "X-A") == "new")
    }

    @Test
    func `a change that an override makes reaches its own request, and stays`() throws {
        let serializer = MeddlingSerializer()
        serializer.meddle = { $0.setValue("1", forHTTPHeaderField: "X-Signature") }
        let request = try serializer.request(method: "GET", urlString: "http://h/", parameters: nil)
        #expect(request.value(forHTTPHeaderField: "X-Signature") == "1")
        #expect(serializer.value(forHTTPHeaderField: "X-Signature") == "1")
    }

    @Test
    func `a serializer used within another's request keeps its own state`() throws {
        let outer = MeddlingSerializer()
        outer.setValue("outer", forHTTPHeaderField: "X-A")
        outer.setQueryStringSerialization { _, _ in
            let inner = HTTPRequestSerializer()
            inner.setValue("inner", forHTTPHeaderField: "X-A")
            let request = try inner.request(method: "GET", urlString: "http://h/", parameters: nil)
            return request.value(forHTTPHeaderField: "X-A") ?? "none"
        }
        let request = try outer.request(method: "GET", urlString: "http://h/", parameters: 1)
        #expect(request.url?.query == "inner")
        #expect(request.value(forHTTPHeaderField: "X-A") == "outer")
    }

    @Test
    func `the query block may use its serializer: no lock is held`() throws {
        let serializer = HTTPRequestSerializer()
        serializer.setQueryStringSerialization { [unowned serializer] _, _ in
            serializer.setValue("1", forHTTPHeaderField: "X-A")
            return "k=\(serializer.timeoutInterval)"
        }
        let request = try serializer.request(method: "GET", urlString: "http://h/", parameters: 1)
        #expect(request.url?.query == "k=0.0")
    }

    @Test func `what an old query block holds may ask the serializer when it is let go`() {
        let serializer = HTTPRequestSerializer()
        let answers = Log<Bool>()
        do {
            let asking = AskingAtEnd(answers) { _ = serializer.httpRequestHeaders }
            serializer.setQueryStringSerialization { _, _ in
                asking.touch()
                return ""
            }
        }
        serializer.setQueryStringSerialization { _, _ in "" }
        #expect(answers.all == [true])
    }
}

/// Threads of their own, so that all run at once on however few cores.
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`, not recursive. Calls out on: the threads it makes.
private final class Room: @unchecked Sendable {
    // @unchecked because what changes is only touched under the lock.
    private let lock = NSLock()
    private let all = DispatchGroup()
    private var sets: Set<Set<String>> = []
    private var over = false

    var isOver: Bool { lock.withLock { over } }
    var seen: Set<Set<String>> { lock.withLock { sets } }

    func note(_ numbers: Set<String>) {
        lock.withLock { _ = sets.insert(numbers) }
    }

    @discardableResult
    func enter(_ work: @escaping @Sendable () -> Void) -> DispatchGroup {
        let own = DispatchGroup()
        own.enter()
        all.enter()
        Thread.detachNewThread { [all] in
            work()
            own.leave()
            all.leave()
        }
        return own
    }

    /// Ends the loops that ask `isOver`, and waits for every thread.
    func leave() {
        lock.withLock { over = true }
        all.wait()
    }
}

/// Does something between the properties and the parameters of a request.
private final class MeddlingSerializer: HTTPRequestSerializer, @unchecked Sendable {
    // @unchecked because `meddle` is set before the first request.
    var meddle: (@Sendable (MeddlingSerializer) -> Void)?

    override func request(bySerializing request: URLRequest, with parameters: Any?) throws
        -> URLRequest
    {
        meddle?(self)
        return try super.request(bySerializing: request, with: parameters)
    }
}
