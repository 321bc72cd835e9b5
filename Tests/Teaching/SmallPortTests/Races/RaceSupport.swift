import EventRecorder
import TestSupport

/// How often each race is shown: 5 times; `RACES=100` is the long form.
let raceCount = Int(ProcessInfo.processInfo.environment["RACES"] ?? "") ?? 5

/// Runs what may block on a thread of its own.
struct RaceThread: Sendable {
    private let ended = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Void) {
        let ended = ended
        Thread.detachNewThread {
            body()
            ended.signal()
        }
    }

    /// Waits for its end; false when it does not come in time.
    func ends(within seconds: TimeInterval = 60) -> Bool {
        guard ended.wait(timeout: .now() + seconds) == .success else { return false }
        ended.signal()
        return true
    }
}

/// Waits for something that will be so; false when it does not become so in time.
func becomes(within seconds: TimeInterval = 20, _ isSo: () -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while !isSo() {
        if Date() > end { return isSo() }
        usleep(200)
    }
    return true
}

/// A site of the small port, which knows no recorder: its observers tell of what they hear.
struct PortSite: Sendable {
    let number = EventRecorder.nextNumber()
    let text: String

    var site: StopSite { StopSite(.note, of: number, text: text) }

    func isReached() {
        EventRecorder.instant(.note, subject: number, text: EventText(text))
    }
}

/// One showing of a race: a server, and points at which threads are held.
func withRace(_ body: (LoopbackServer, StopPoints) throws -> Bool) throws -> Bool {
    let server = LoopbackServer(routes: Routes())
    server.add("/plain") { _ in .text("plain") }
    server.add("/empty") { _ in .status(200) }
    try server.start()
    let points = try StopPoints(capacity: 1 << 14)
    defer {
        points.end()
        server.stop()
    }
    return try body(server, points)
}

/// How often something happens.
func times(_ show: () throws -> Bool) rethrows -> Int {
    try (0..<raceCount).reduce(0) { count, _ in try show() ? count + 1 : count }
}
