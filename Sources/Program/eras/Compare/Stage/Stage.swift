import Dispatch
import Foundation
import Locking

/// The environment of a scenario: it has the server's URL, records outcomes and detects the end.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the record. Calls out on: the main thread (blocks of
/// `when…` and `after`), the thread of the last outcome (`ended`); never under the lock.
final class Stage: Sendable {
    /// A callback that recorded an outcome, with its thread or queue.
    struct Callback: Codable, Equatable, Sendable {
        var name: String
        /// See `Place.current`.
        var place: String
    }

    struct Record: Sendable {
        var outcomes: [Outcome] = []
        var callbacks: [Callback] = []
        var peakThreads = 0
    }

    let baseURL: URL
    /// The folder for the scenario's files; empty at first.
    let folder: URL

    private let control: any ServerControl
    private let ended: @Sendable (Stage) -> Void
    private let state: Locked<State>

    private struct State {
        var record = Record(peakThreads: ProcessUsage.threads)
        var expected: Int?
        var hasEnded = false
        var kept: [any Sendable] = []
    }

    /// - Parameter ended: called once, when there are as many outcomes as the scenario has
    ///   announced.
    init(
        baseURL: URL, folder: URL, control: any ServerControl,
        ended: @escaping @Sendable (Stage) -> Void
    ) {
        self.baseURL = baseURL
        self.folder = folder
        self.control = control
        self.ended = ended
        state = Locked(State())
    }

    // MARK: - For scenarios

    /// The address of a path that is percent-escaped.
    ///
    /// - Parameter host: another name of the server, such as "localhost", which is another origin.
    func url(_ path: String, host: String? = nil) -> URL {
        var parts = URLComponents(url: baseURL, resolvingAgainstBaseURL: true)
        parts?.percentEncodedPath = ""
        if let host { parts?.host = host }
        let origin = parts?.string ?? baseURL.absoluteString
        return URL(string: origin + (path.hasPrefix("/") ? path : "/" + path)) ?? baseURL
    }

    func file(_ name: String) -> URL {
        folder.appendingPathComponent(name)
    }

    /// The caller's thread or queue: "main", "delegate queue", or another name.
    var place: String { Place.current }

    /// Records a named result, and the thread or queue of the call; see `OutcomeText`.
    func outcome(_ name: String, _ value: Any?) {
        let outcome = Outcome(name, OutcomeText.text(of: value))
        let callback = Callback(name: name, place: Place.current)
        let threads = ProcessUsage.threads
        conclude { state in
            state.record.outcomes.append(outcome)
            state.record.callbacks.append(callback)
            state.record.peakThreads = max(state.record.peakThreads, threads)
        }
    }

    /// Retains an object to the end, as an application's property would.
    func keep<Kept: Sendable>(_ object: Kept) -> Kept {
        state.withLock { $0.kept.append(object) }
        return object
    }

    /// Sets after how many outcomes the scenario ends.
    func ends(after count: Int) {
        conclude { $0.expected = count }
    }

    // MARK: The server's gates

    /// Calls the block on the main thread once so many responses wait at a gate.
    func whenReached(
        _ gate: String, count: Int = 1, _ reached: @escaping @MainActor @Sendable () -> Void
    ) {
        control.whenReached(gate, count: count) { DispatchQueue.main.async(execute: reached) }
    }

    /// Calls the block on the main thread once a client has disconnected before the end of its response.
    func whenLeft(_ left: @escaping @MainActor @Sendable () -> Void) {
        control.whenLeft(count: 1) { DispatchQueue.main.async(execute: left) }
    }

    func release(_ gate: String) {
        control.release(gate)
    }

    /// Calls the block on the main thread after the time.
    func after(seconds: Double, _ then: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds, execute: then)
    }

    // MARK: - For the runner

    var recorded: Record { state.withLock { $0.record } }

    private func conclude(_ change: (inout State) -> Void) {
        let isTheEnd = state.withLock { state in
            change(&state)
            guard !state.hasEnded, let expected = state.expected,
                state.record.outcomes.count >= expected
            else { return false }
            state.hasEnded = true
            return true
        }
        if isTheEnd { ended(self) }
    }
}

extension Stage {
    /// A URL that refuses connections: its port is bound, and no socket listens on it.
    ///
    /// - Throws: `POSIXError` when there is no port.
    func refusingURL() throws -> URL {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(O_CLOEXEC), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) + getsockname(socket, $0, &length)
            }
        }
        guard socket >= 0, code == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let port = UInt16(bigEndian: address.sin_port)
        return URL(string: "http://127.0.0.1:\(port)/") ?? baseURL
    }
}

/// The thread or queue on which code runs.
enum Place {
    private static let key: DispatchSpecificKey<String> = {
        let key = DispatchSpecificKey<String>()
        DispatchQueue.main.setSpecific(key: key, value: "main")
        return key
    }()

    /// The queues on which a session calls its delegate, in the later eras.
    private static let delegateQueues: Set = [
        "com.alamofire.networking.session.delegate", "org.alamofire.session-manager",
    ]

    /// "main", "delegate queue", the thread's name, or "another".
    static var current: String {
        if let main = DispatchQueue.getSpecific(key: key) { return main }
        if let name = OperationQueue.current?.name, delegateQueues.contains(name) {
            return "delegate queue"
        }
        let name = Thread.current.name ?? ""
        return name.isEmpty ? "another" : name
    }
}

/// A value that blocks of several threads may change.
///
/// ## Concurrency
/// Call from: any thread. Lock: its own. Calls out on: the caller's thread, under the lock.
final class Latest<Value: Sendable>: Sendable {
    private let guarded: Locked<Value>

    init(_ value: Value) {
        guarded = Locked(value)
    }

    var value: Value {
        get { guarded.withLock { $0 } }
        set { guarded.withLock { $0 = newValue } }
    }

    /// - Returns: the value after the change.
    @discardableResult
    func change(_ change: @Sendable (inout Value) -> Void) -> Value {
        guarded.withLock { value in
            change(&value)
            return value
        }
    }
}

/// The time that this process has used, at one moment.
struct ProcessUsage: Sendable {
    private let clock: ContinuousClock.Instant
    private let processor: Double

    init() {
        clock = .now
        processor = Double(Foundation.clock()) * 1_000 / Double(CLOCKS_PER_SEC)
    }

    /// The wall time since an earlier moment, in milliseconds.
    func wall(since start: ProcessUsage) -> Double {
        (clock - start.clock) / .milliseconds(1)
    }

    /// The processor time of all threads since an earlier moment, in milliseconds.
    func processor(since start: ProcessUsage) -> Double {
        processor - start.processor
    }

    /// The clock that recordings use, which is the same in all processes.
    static var monotonicNanoseconds: UInt64 {
        DispatchTime.now().uptimeNanoseconds
    }

    /// The number of threads now; 0 where it is unknown.
    static var threads: Int {
        guard let directory = opendir("/proc/self/task") else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while let entry = readdir(directory) {
            // All but "." and "..".
            if entry.pointee.d_name.0 != UInt8(ascii: ".") { count += 1 }
        }
        return count
    }
}
