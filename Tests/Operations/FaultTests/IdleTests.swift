import OperationNetworking
import TestSupport

extension AllFaultTests {
    @Suite(.timeLimit(.minutes(5)))
    struct IdleTests {
        /// Set `IDLE_SECONDS=10` for the long form.
        private static let seconds =
            ProcessInfo.processInfo.environment["IDLE_SECONDS"].flatMap { Double($0) } ?? 2

        @Test
        func `an idle network thread is not woken once, with connections kept and none`()
            async throws
        {
            let server = LoopbackServer.started()
            defer { server.stop() }
            let thread = NetworkThread(name: "idle")
            let tally = Tally()
            let manager = OperationManager()
            for _ in 0..<20 {
                let operation = tally.operation(URLRequest(url: server.url("/ok")))
                operation.networkThread = thread
                manager.enqueue(operation)
            }
            await tally.waitForAll(20)
            #expect(tally.succeeded == 20)

            // The clean-up after the last operation may still run; a block after it marks the end.
            await withCheckedContinuation { done in
                thread.perform(inModes: [.common]) { done.resume() }
            }
            // On a busy machine the thread may need its time to fall asleep.
            var before = try ThreadUse(named: "idle")
            for _ in 0..<50 {
                await quiet(for: 0.2)
                let now = try ThreadUse(named: "idle")
                if now == before { break }
                before = now
            }

            await quiet(for: Self.seconds)
            let after = try ThreadUse(named: "idle")
            #expect(after == before)
        }

        private func quiet(for seconds: Double) async {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().asyncAfter(deadline: .now() + seconds) {
                    continuation.resume()
                }
            }
        }
    }
}

/// What the kernel counts for one thread.
private struct ThreadUse: Equatable {
    /// User and system time, in clock ticks.
    var ticks: String
    /// The lines that count its context switches.
    var switches: [String]

    private struct NoSuchThread: Error {}

    init(named name: String) throws {
        for task in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
            let folder = "/proc/self/task/\(task)/"
            let comm = try? String(contentsOfFile: folder + "comm", encoding: .utf8)
            guard comm?.trimmingCharacters(in: .newlines) == name else { continue }
            let stat = try String(contentsOfFile: folder + "stat", encoding: .utf8)
            ticks = stat.split(separator: " ")[13...14].joined(separator: " ")
            let status = try String(contentsOfFile: folder + "status", encoding: .utf8)
            switches = status.split(separator: "\n").filter { $0.contains("ctxt_switches") }
                .map(String.init)
            return
        }
        throw NoSuchThread()
    }
}
