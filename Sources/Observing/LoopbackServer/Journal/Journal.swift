import Foundation

/// The counters, the log and the gates, which the loop writes and other threads read.
///
/// ## Concurrency
/// Call from any thread. One condition variable guards everything and is broadcast after each
/// change. `wait` runs its caller's closure with the lock held; nothing else calls out.
final class Journal: @unchecked Sendable {
    // @unchecked because every stored variable is read and written under `condition` alone.

    /// A named condition that responses wait for.
    private struct Gate {
        var isOpen = false
        var permits = 0
        var arrivals = 0
    }

    /// Values by name. Those in `older` were used before those in `recent`.
    private typealias Table<Value> = (recent: [String: Value], older: [String: Value])

    /// The most requests, and the most handshakes, that are logged.
    static let logLimit = 100_000
    /// How many gates and counters are kept at least: those that were used last. A gate that is forgotten is
    /// closed again, and a counter begins anew.
    static let tableLimit = 100_000
    /// The most bytes in a client's name of a gate or a counter; routes refuse longer ones.
    static let nameLimit = 256
    private static let bodyBudget = 64 << 20

    private let condition = NSCondition()
    private var statistics = Statistics()
    private var log: [RecordedRequest] = []
    private var logStart = 0
    private var handshakeLog: [RecordedHandshake] = []
    private var bodyBytes = 0
    private var gates: Table<Gate> = ([:], [:])
    private var counters: Table<Int> = ([:], [:])

    static func accepts(_ name: String) -> Bool { name.utf8.count <= nameLimit }

    // MARK: Any thread

    var currentStatistics: Statistics { read { statistics } }
    var requests: [RecordedRequest] { read { log } }
    var handshakes: [RecordedHandshake] { read { handshakeLog } }

    func count(_ name: String) -> Int {
        change {
            Self.use(name, of: &counters, or: 0) { count in
                count += 1
                return count
            }
        }
    }

    func reset() {
        change {
            statistics = statistics.restarted()
            logStart += log.count
            log = []
            handshakeLog = []
            bodyBytes = 0
            counters = ([:], [:])
            for name in gates.recent.keys { gates.recent[name]?.arrivals = 0 }
            for name in gates.older.keys { gates.older[name]?.arrivals = 0 }
        }
    }

    /// Changes a value. When `recent` is full, the values in `older` are forgotten.
    private static func use<Value, Result>(
        _ name: String, of table: inout Table<Value>, or first: Value,
        _ change: (inout Value) -> Result
    ) -> Result {
        if table.recent[name] == nil, table.recent.count >= tableLimit {
            table = ([:], table.recent)
        }
        var value = table.recent[name] ?? table.older.removeValue(forKey: name) ?? first
        defer { table.recent[name] = value }
        return change(&value)
    }

    private func use<Result>(_ gate: String, _ change: (inout Gate) -> Result) -> Result {
        Self.use(gate, of: &gates, or: Gate(), change)
    }

    func close(_ gate: String) {
        change { use(gate) { $0 = Gate(arrivals: $0.arrivals) } }
    }

    /// Opens a gate, or lets `count` responses through a closed one.
    func open(_ gate: String, count: Int?) {
        change {
            use(gate) { gate in
                if let count { gate.permits += count } else { gate.isOpen = true }
            }
        }
    }

    /// Waits until the condition is true; false after the timeout.
    func wait(
        _ timeout: TimeInterval, _ holds: (Statistics, [RecordedRequest]) -> Bool
    ) -> Bool {
        waitLocked(timeout) { holds(statistics, log) }
    }

    func waitForArrivals(_ gate: String, count: Int, timeout: TimeInterval) -> Bool {
        waitLocked(timeout) {
            (gates.recent[gate] ?? gates.older[gate])?.arrivals ?? 0 >= count
        }
    }

    // MARK: The loop

    /// Whether a response may pass the gate.
    ///
    /// - Parameter isArrival: whether it has just reached the gate, which is counted.
    func pass(_ name: String, isArrival: Bool) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        if isArrival { condition.broadcast() }
        return use(name) { gate in
            if isArrival { gate.arrivals += 1 }
            if gate.isOpen { return true }
            guard gate.permits > 0 else { return false }
            gate.permits -= 1
            return true
        }
    }

    func connectionOpened() {
        change {
            statistics.connectionsAccepted += 1
            statistics.connectionsOpen += 1
            statistics.peakConnections = max(
                statistics.peakConnections, statistics.connectionsOpen)
        }
    }

    func connectionClosed() {
        change { statistics.connectionsOpen -= 1 }
    }

    /// Logs a TLS handshake; nil means that it failed.
    func handshakeEnded(_ handshake: RecordedHandshake?) {
        change {
            guard let handshake else {
                statistics.failedHandshakes += 1
                return
            }
            statistics.handshakes += 1
            if handshake.isResumed { statistics.resumedHandshakes += 1 }
            if handshakeLog.count < Journal.logLimit { handshakeLog.append(handshake) }
        }
    }

    func moved(sent: Int = 0, received: Int = 0) {
        change {
            statistics.bytesSent += Int64(sent)
            statistics.bytesReceived += Int64(received)
        }
    }

    func malformed() {
        change { statistics.malformed += 1 }
    }

    /// Logs a request.
    ///
    /// - Returns: its index, for `update`.
    func began(_ request: RecordedRequest) -> Int {
        change {
            statistics.requests += 1
            statistics.inFlight += 1
            statistics.peakInFlight = max(statistics.peakInFlight, statistics.inFlight)
            if log.count < Journal.logLimit { log.append(request) }
            return logStart + log.count - 1
        }
    }

    /// Replaces a logged request by a newer state of it.
    ///
    /// - Parameter logIndex: what `began` has returned.
    func update(_ logIndex: Int, _ request: RecordedRequest) {
        change {
            let index = logIndex - logStart
            guard log.indices.contains(index), log[index].isSame(as: request) else { return }
            let added = request.body.count - log[index].body.count
            log[index] = request
            if bodyBytes + added > Journal.bodyBudget {
                bodyBytes -= request.body.count - added
                log[index].body = Data()
            } else {
                bodyBytes += added
            }
        }
    }

    func ended(abandoned: Bool) {
        change {
            statistics.inFlight -= 1
            if abandoned { statistics.abandoned += 1 }
        }
    }

    // MARK: The lock

    private func read<Value>(_ body: () -> Value) -> Value {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }

    private func change<Value>(_ body: () -> Value) -> Value {
        condition.lock()
        defer { condition.unlock() }
        defer { condition.broadcast() }
        return body()
    }

    private func waitLocked(_ timeout: TimeInterval, _ holds: () -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: timeout)
        condition.lock()
        defer { condition.unlock() }
        while !holds() {
            guard condition.wait(until: deadline) else { return holds() }
        }
        return true
    }
}
