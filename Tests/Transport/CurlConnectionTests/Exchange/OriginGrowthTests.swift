import CurlConnection
import TestSupport

/// What an origin costs after it was used once: nothing that stays.
@Suite("Many origins", .timeLimit(.minutes(20)))
struct OriginGrowthTests {
    /// Set `ORIGINS=100000` for the long form.
    private static let count =
        ProcessInfo.processInfo.environment["ORIGINS"].flatMap { Int($0) } ?? 5_000
    private static let atOnce = 16

    @Test func `distinct origins take no more memory and time the more there were`() async {
        await #expect(processExitsWith: .success) { try withWorld { Self.loadMany($0) } }
    }

    @Test func `nor do they while another request is always under way`() async {
        await #expect(processExitsWith: .success) {
            try withWorld { world in
                world.server.hold("door")
                let held = Recorder()
                var request = world.request("/gate/door")
                request.timeoutInterval = 3_600
                world.thread.start(request, held)
                Self.loadMany(world)
                world.server.release("door")
                #expect(held.atEnd().error == nil)
            }
        }
    }

    private static func loadMany(_ world: TestWorld) {
        var tenths: [(seconds: TimeInterval, memory: Int)] = []
        for tenth in 0..<10 {
            let start = Date()
            for first in stride(from: 0, to: count / 10, by: atOnce) {
                let last = min(first + atOnce, count / 10)
                let names = (first..<last).map { "many-\(tenth)-\($0).lookup.test" }
                for heard in load(names, world) {
                    #expect(heard.text == "hello world")
                }
            }
            world.server.resetLog()
            tenths.append((-start.timeIntervalSinceNow, residentMemory()))
        }
        print("origins \(count), tenths \(tenths)")
        #expect(tenths[9].memory - tenths[0].memory < 12 << 20, "\(tenths)")
        #expect(tenths[9].seconds < tenths[1].seconds * 2 + 1, "\(tenths)")
    }

    /// Loads from each of the hosts, from all at once.
    private static func load(_ hosts: [String], _ world: TestWorld) -> [Heard] {
        let recorders = hosts.map { host in
            var request = world.request("/ok")
            request.url = URL(string: "http://\(host):\(world.server.port)/ok")
            request.cachePolicy = .reloadIgnoringLocalCacheData
            let recorder = Recorder()
            world.thread.start(request, recorder)
            return recorder
        }
        return recorders.map { $0.atEnd() }
    }
}

/// Bytes of this process that are in memory.
private func residentMemory() -> Int {
    let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = text?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return (pages ?? 0) * 4096
}
