public import Foundation

/// Look-ups of names under `lookup.test`, for the tests' process alone: known, unknown, or held until
/// the test lets go. All other names go to the system.
///
/// A target of its own: the tests of all targets are one process, which has one such function.
///
/// ## Concurrency
/// Call from: any thread. Lock: one condition around all.
package enum StalledLookUp {
    private struct State {
        var held: Set<String> = []
        var calls: [String: Int] = [:]
        var inside = 0
        var peak = 0
        var stalled = 0
    }

    nonisolated(unsafe) private static var state = State()
    private static let condition = NSCondition()
    /// Seconds after which a look-up that nobody lets go of ends by itself.
    private static let longest: TimeInterval = 8
    /// Seconds for which a test waits at most.
    private static let patience: TimeInterval = 60

    /// Whether the name is one of ours.
    fileprivate static func isOurs(_ name: String) -> Bool { name.hasSuffix(".lookup.test") }

    /// Look-ups of names that end so do not end until `release`.
    package static func hold(_ ending: String) {
        condition.withLock { _ = state.held.insert(ending) }
    }

    package static func release(_ ending: String) {
        condition.withLock {
            state.held.remove(ending)
            condition.broadcast()
        }
    }

    /// How often names that end so were asked for.
    package static func count(_ ending: String) -> Int {
        condition.withLock { sum(ending) }
    }

    /// How many look-ups are under way now, and were at most at once.
    package static var inside: Int { condition.withLock { state.inside } }
    package static var peak: Int { condition.withLock { state.peak } }

    /// How many look-ups were held so far.
    package static var stalledCount: Int { condition.withLock { state.stalled } }

    /// Waits until names that end so were asked for so often.
    package static func wait(for ending: String, count: Int = 1) -> Bool {
        wait { sum(ending) >= count }
    }

    /// Waits until no look-up is under way.
    package static func waitUntilNone() -> Bool {
        wait { state.inside == 0 }
    }

    private static func sum(_ ending: String) -> Int {
        state.calls.reduce(0) { $0 + ($1.key.hasSuffix(ending) ? $1.value : 0) }
    }

    private static func wait(_ holds: () -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: patience)
        return condition.withLock {
            while !holds() { guard condition.wait(until: deadline) else { return holds() } }
            return true
        }
    }

    fileprivate static func enter(_ name: String) {
        let deadline = Date(timeIntervalSinceNow: longest)
        condition.withLock {
            // Those of the growth test and of the storm are too many to be counted one by one.
            if !name.hasPrefix("many-") { state.calls[name, default: 0] += 1 }
            state.inside += 1
            state.peak = max(state.peak, state.inside)
            condition.broadcast()
            if state.held.contains(where: name.hasSuffix) { state.stalled += 1 }
            while state.held.contains(where: name.hasSuffix), condition.wait(until: deadline) {}
            state.inside -= 1
            condition.broadcast()
        }
    }
}

private typealias LookUp =
    @convention(c) (
        UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<addrinfo>?,
        UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
    ) -> Int32

/// The C library's own; this process's is the one below.
private let system: LookUp? = dlsym(UnsafeMutableRawPointer(bitPattern: -1), "getaddrinfo").map {
    unsafeBitCast($0, to: LookUp.self)
}

/// Stands before the C library's for this whole process: an executable's symbols come first.
@_cdecl("getaddrinfo")
public func stalledLookUp(
    _ node: UnsafePointer<CChar>?, _ service: UnsafePointer<CChar>?,
    _ hints: UnsafePointer<addrinfo>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
) -> Int32 {
    guard let system else { return EAI_SYSTEM }
    guard let name = node.map({ String(cString: $0) }), StalledLookUp.isOurs(name) else {
        return system(node, service, hints, result)
    }
    StalledLookUp.enter(name)
    return name.hasPrefix("unknown") ? EAI_NONAME : system("127.0.0.1", service, hints, result)
}
