import Foundation
import Locking

/// A place to write to that may accept fewer bytes than one call offers, like a socket or a file on a full disk.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the bytes.
public final class ShortSink: Sendable {
    struct State {
        var taken: [UInt8] = []
        var calls = 0
    }

    private let atOnce: Int
    private let capacity: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - atOnce: the most bytes that it accepts in one call.
    ///   - capacity: the most bytes that it accepts in all calls together.
    init(atOnce: Int, capacity: Int = .max) {
        self.atOnce = atOnce
        self.capacity = capacity
    }

    var now: State { state.withLock { $0 } }

    /// Accepts the first of these bytes, as many as it can.
    ///
    /// - Returns: how many it has accepted; -1 if it is full.
    public func write(_ bytes: some Collection<UInt8>) -> Int {
        state.withLock { state in
            state.calls += 1
            let count = min(bytes.count, atOnce, capacity - state.taken.count)
            state.taken += bytes.prefix(count)
            return count == 0 && !bytes.isEmpty ? -1 : count
        }
    }
}

/// Exercise 9: writes all bytes, or throws an error.
public protocol WriteExercise: Sendable {
    init()
    /// - Throws: an error if not all of the bytes can be written.
    func write(_ bytes: [UInt8], to sink: ShortSink) throws
}

/// What a client learns about a server in the TLS handshake.
public struct SeenServer: Sendable {
    /// The public keys of its certificate chain.
    public let keys: Set<String>
    /// The hosts that its certificate names.
    public let names: Set<String>
    /// Whether all certificates of the chain are valid today.
    public let isInDate: Bool
    /// Whether the chain ends at a trusted authority.
    public let endsAtAuthority: Bool
}

/// Exercise 11: decides whether a server is trusted, by its certificates and by pinned keys.
public protocol PinExercise: Sendable {
    /// - Parameters:
    ///   - pins: one of these keys must be in the chain.
    ///   - allowsInvalid: whether a chain may end at a pin in place of an authority.
    init(pins: Set<String>, allowsInvalid: Bool)
    func accepts(_ server: SeenServer, host: String) -> Bool
}

/// Stands for a session, whose requests run independently of each other. The check decides when a response comes.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the requests. Calls out on: the thread that calls `answer`.
public final class SideBySide: Sendable {
    private struct State {
        var started: [String] = []
        var waiting: [String: @Sendable (String) -> Void] = [:]
    }

    private let state = Locked(State())

    var started: [String] { state.withLock { $0.started } }

    /// Starts a request, and returns at once.
    public func start(_ request: String, _ completion: @escaping @Sendable (String) -> Void) {
        state.withLock { state in
            state.started.append(request)
            state.waiting[request] = completion
        }
    }

    /// Calls the completion of a request with a response.
    ///
    /// - Returns: false if no request with this name was started, or if it was answered before.
    func answer(_ request: String, _ text: String) -> Bool {
        guard let completion = state.withLock({ $0.waiting.removeValue(forKey: request) }) else {
            return false
        }
        completion(text)
        return true
    }
}

/// Exercise 12: a request that needs another one's response.
public protocol OrderExercise: Sendable {
    init(_ requests: SideBySide)
    /// Starts the request `token`. When that has the response T, starts the request `profile T`, and then calls the
    /// completion with the response of this second request.
    func load(_ completion: @escaping @Sendable (String) -> Void)
}

extension Verdict {
    /// Checks exercise 9: with a sink that accepts three bytes a call, and with one that is full after four bytes.
    public static func of(write exercise: (some WriteExercise).Type) -> Verdict {
        let exercise = exercise.init()
        let bytes = Array("0123456789".utf8)
        let (slow, isWell) = (ShortSink(atOnce: 3), Locked(false))
        let first = onNewThread {
            if (try? exercise.write(bytes, to: slow)) != nil { isWell.withLock { $0 = true } }
        }
        guard first.wait(within: Patience.check) else {
            return missing("`write` did not return.", "`write`没有返回。", stage: (1, 2))
        }
        let written = String(decoding: slow.now.taken, as: UTF8.self)
        guard written == "0123456789" else {
            return missing(
                "The bytes were 0123456789, and the sink got \(written). `ShortSink.write` accepts three "
                    + "bytes a call and returns how many it has accepted; call it again with the rest.",
                "字节是 0123456789，sink 却收到 \(written)：每次只收下三个字节，返回值说明了这一点，剩下的必须再写。", stage: (1, 2))
        }
        guard isWell.withLock({ $0 }) else {
            return missing(
                "All bytes were written, and yet `write` threw an error.",
                "字节已全部写入，`write` 却抛出了错误。", stage: (1, 2))
        }
        let (full, isSuccess) = (ShortSink(atOnce: 3, capacity: 4), Locked(false))
        let second = onNewThread {
            if (try? exercise.write(bytes, to: full)) != nil { isSuccess.withLock { $0 = true } }
        }
        guard second.wait(within: Patience.check) else {
            return missing(
                "`write` did not return after \(full.now.calls) calls of `ShortSink.write`: a sink that is "
                    + "full stays full. Throw an error.",
                "调用了 \(full.now.calls) 次 `ShortSink.write`，`write` 仍未返回：已满的 sink 不会自己腾出空间，应当抛出错误。",
                stage: (2, 2))
        }
        return isSuccess.withLock { $0 }
            ? missing(
                "The sink was full after four bytes, and `write` did not throw an error.",
                "写入四个字节后 sink 已满，`write` 却没有抛出错误。", stage: (2, 2))
            : solved(9)
    }

    /// Checks exercise 11: with a server for which everything is right, and with servers that each have one fault.
    public static func of(pin exercise: (some PinExercise).Type) -> Verdict {
        let strict = exercise.init(pins: ["our key"], allowsInvalid: false)
        let lax = exercise.init(pins: ["our key"], allowsInvalid: true)
        func server(
            key: Bool = true, name: Bool = true, date: Bool = true, authority: Bool = true
        ) -> SeenServer {
            SeenServer(
                keys: ["leaf", key ? "our key" : "other key"], names: [name ? "home" : "elsewhere"],
                isInDate: date, endsAtAuthority: authority)
        }
        func accepts(_ solution: some PinExercise, _ server: SeenServer) -> Bool {
            solution.accepts(server, host: "home")
        }
        guard accepts(strict, server()) else {
            return missing(
                "A server whose key is pinned, and whose name, date and authority are right, is refused.",
                "公钥、名字、日期、CA 都对的服务器被拒绝了。", stage: (1, 3))
        }
        let wrong: [(SeenServer, Words)] = [
            (server(date: false), Words("has expired", "已过期")),
            (server(name: false), Words("names another host", "是另一台主机的")),
            (server(key: false), Words("has another key", "公钥不同")),
        ]
        for (server, what) in wrong where accepts(strict, server) || accepts(lax, server) {
            return missing(
                "A certificate that \(what.text(.english)) is accepted. Pins are an additional check: all "
                    + "other checks must still be made.",
                "接受了\(what.text(.simplifiedChinese))的证书：固定是附加的，不会削弱别的检查。", stage: (2, 3))
        }
        if accepts(strict, server(authority: false)) {
            return missing(
                "A chain that ends at no trusted authority is accepted, though `allowsInvalid` is false.",
                "`allowsInvalid` 已关闭，却接受了不以受信任的 CA 结尾的证书链。", stage: (3, 3))
        }
        guard accepts(lax, server(authority: false)) else {
            return missing(
                "A chain with a pinned key but no trusted authority is refused, though `allowsInvalid` is "
                    + "true.",
                "`allowsInvalid` 已打开，却拒绝了以固定公钥结尾的证书链。", stage: (3, 3))
        }
        return solved(11)
    }

    /// Checks exercise 12: the second request must be made with the response of the first.
    public static func of(order exercise: (some OrderExercise).Type) -> Verdict {
        let requests = SideBySide()
        let exercise = exercise.init(requests)
        let profiles = Locked<[String]>([])
        let call = onNewThread { exercise.load { text in profiles.withLock { $0.append(text) } } }
        let isStarted = Patience.until(within: Patience.check) { !requests.started.isEmpty }
        guard isStarted, requests.started.first == "token" else {
            return missing("The request `token` was not started.", "没有启动请求 `token`。", stage: (1, 3))
        }
        let early = Patience.until(within: Patience.short) { requests.started.count > 1 }
        guard !early else {
            return missing(
                "`\(requests.started[1])` was started before the response with the token had come: nothing "
                    + "makes it wait; start it in the completion of `token`.",
                "token 还没有到，`\(requests.started[1])` 就启动了：没有什么会让它等待；请在 `token` 的 completion 里启动它。",
                stage: (1, 3))
        }
        let returns = call.wait(within: Patience.check)
        _ = requests.answer("token", "T7")
        guard returns else {
            return missing(
                "`load` blocks its thread until the response comes. Start the second request in the first "
                    + "one's completion instead.",
                "`load` 占着线程等回答：应当在第一个请求的 completion 里启动第二个请求。", stage: (2, 3))
        }
        guard Patience.until(within: Patience.check, { requests.started.count > 1 }),
            requests.started[1] == "profile T7"
        else {
            return missing(
                "After the response T7, the request `profile T7` must be started; what was started is "
                    + "\(requests.started.dropFirst().first ?? "nothing").",
                "拿到 token 后应启动 `profile T7`，实际启动的是 \(requests.started.dropFirst().first ?? "无")。",
                stage: (3, 3))
        }
        _ = requests.answer("profile T7", "Ada")
        return profiles.withLock { $0 } == ["Ada"]
            ? solved(12)
            : missing(
                "The completion must be called once, with the profile.",
                "completion 应恰好调用一次，并带上 profile。", stage: (3, 3))
    }
}
