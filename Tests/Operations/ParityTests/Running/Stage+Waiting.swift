import Dispatch
import OperationNetworking
import ParitySupport
import TestSupport

/// Waiting for things to happen; nothing here sleeps.
extension Stage {
    /// Waits until the events so far satisfy a condition.
    func until(_ what: String, _ condition: @escaping Recorder.Condition) async throws {
        guard await recorder.wait(seconds: patience, condition) else {
            throw Overdue(
                description: "Not seen: \(what). Seen: "
                    + recorder.events.map(\.description).joined(separator: "; "))
        }
    }

    /// Waits until an operation, or the harness, has shown something that many times.
    func until(_ operation: String?, _ what: String, times: Int = 1) async throws {
        try await until("\(operation ?? "").\(what) \(times) times") { events in
            events.count { $0.operation == operation && $0.what.hasPrefix(what) } >= times
        }
    }

    /// Waits until operations have told everything: finish notification and completion.
    func end(of names: String..., finishes: Int = 1) async throws {
        for name in names {
            try await until(name, "finish notification", times: finishes)
            try await until("\(name)'s completion") { events in
                events.contains { $0.operation == name && $0.kind == "completion" }
            }
        }
    }

    /// Waits for a signal that is not part of the record.
    func untilSignal(_ what: String) async throws {
        let hasSignal = await signals.wait(seconds: TestSupport.patience) { events in
            events.contains { $0.what == what }
        }
        guard hasSignal else { throw Overdue(description: "No signal: \(what).") }
    }

    /// Waits until that many answers have come to a gate in all.
    func untilServer(reached gate: String, count: Int = 1) async throws {
        guard await server.reaches(gate, count: count) else {
            throw Overdue(description: "The server did not reach \(gate) \(count) times.")
        }
    }

    /// Waits until that many clients have left before their answers' ends.
    func untilClientsLeft(_ count: Int = 1) async throws {
        guard await server.sees({ counters, _ in counters.abandoned >= count }) else {
            throw Overdue(description: "\(count) clients did not leave.")
        }
    }

    /// Holds the network thread during `body`, so that what it does comes after.
    ///
    /// The recorder's machine was slow enough for that; here a held thread is what makes it sure.
    func holdingNetworkThread(_ body: () async throws -> Void) async rethrows {
        let gate = DispatchSemaphore(value: 0)
        defer { gate.signal() }
        NetworkThread.shared.perform(inModes: [.common]) {
            _ = gate.wait(timeout: .now() + TestSupport.patience)
        }
        try await body()
    }

    /// Makes the answers of a path that has none wait at a gate of its name.
    func holdAnswers(at path: String) {
        server.add(path) { _ in
            .text("hello world", contentType: "text/plain").after(.wait(gate: path))
        }
    }

    /// Opens the gate of a path for one answer.
    func answer(_ path: String) {
        server.release(path, count: 1)
    }
}
