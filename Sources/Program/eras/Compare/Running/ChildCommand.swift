import EventRecorder
import Foundation
import FoundationNetworking
import Locking
import OperationNetworking
import RequestEra
import SessionEra

/// The child process: runs one scenario with the API of one column (an era, or Foundation's URLSession), reports on
/// standard output and ends.
struct ChildCommand: Sendable {
    let options: ChildOptions

    /// Does not return: the main thread runs its run loop, as in an application.
    ///
    /// - Throws: `UsageError` if the scenario, the column, an address or the folder is missing or invalid.
    func begin() throws {
        guard let scenario = ScenarioList.scenario(options.scenario), let column = options.column,
            let baseURL = URL(string: options.baseURL), let warmUp = URL(string: options.ground),
            !options.folder.isEmpty
        else {
            throw UsageError(
                sentence: "--child needs a scenario, --column, --base-url, --ground and --folder.",
                topic: .compare)
        }
        let folder = URL(fileURLWithPath: options.folder, isDirectory: true)
        let control = PipeControl()
        DispatchQueue.main.async {
            FirstUse.run(column, at: warmUp) {
                Self.run(scenario, column, baseURL, folder, control)
            }
        }
        RunLoop.main.run()
    }

    private static func run(
        _ scenario: any Scenario, _ column: Column, _ baseURL: URL, _ folder: URL,
        _ control: PipeControl
    ) {
        do {
            try EventRecorder.start()
            let began = ProcessUsage.monotonicNanoseconds
            let start = ProcessUsage()
            let stage = Stage(
                baseURL: baseURL, folder: folder, control: control
            ) { stage in
                let end = ProcessUsage()
                // The last callback has not returned yet, and the event of its return belongs in the
                // recording.
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5)) {
                    var report = ChildReport(stage.recorded)
                    report.began = began
                    report.wallMilliseconds = end.wall(since: start)
                    report.processorMilliseconds = end.processor(since: start)
                    save(EventRecorder.stop(), in: folder)
                    control.send(.report(report))
                    ExitCode.success.leave()
                }
            }
            try scenario.run(column, on: stage)
        } catch {
            control.send(.report(ChildReport(error: ErrorSentence.text(for: error))))
            ExitCode.failed.leave()
        }
    }

    /// Writes the recording, for the page.
    private static func save(_ recording: Recording, in folder: URL) {
        let file = folder.appendingPathComponent(ChildOptions.recordingName)
        try? recording.jsonLines().write(to: file)
    }
}

/// The request before the measurement: one GET of JSON, with the column's API.
///
/// The first request of a process creates tables, threads and sockets, which takes several times as
/// long as most scenarios, so it is not measured.
enum FirstUse {
    /// - Parameter then: called on the main thread, also after a failure.
    static func run(
        _ column: Column, at url: URL, then: @escaping @Sendable @MainActor () -> Void
    ) {
        let end: @Sendable (Any?) -> Void = { object in
            _ = OutcomeText.text(of: object)
            // `then` must run on main. Where this block runs on main too, it has returned by then.
            DispatchQueue.main.async(execute: then)
        }
        switch column {
        case .connection:
            let manager = HTTPRequestOperationManager(baseURL: url)
            manager.get("get") { _, object in
                end(object)
            } failure: { _, _ in
                end(nil)
            }
        case .session:
            let manager = HTTPSessionManager(baseURL: url)
            manager.get("get", progress: nil) { _, object in
                end(object)
                manager.invalidateSessionCancelingTasks(false, resetSession: false)
            } failure: { _, _ in
                end(nil)
                manager.invalidateSessionCancelingTasks(false, resetSession: false)
            }
        case .request:
            SessionManager.default.request(url.appendingPathComponent("get")).responseJSON {
                end($0.value)
            }
        case .foundation:
            URLSession.shared.dataTask(with: url.appendingPathComponent("get")) { data, _, _ in
                end(data.flatMap { try? JSONSerialization.jsonObject(with: $0) })
            }.resume()
        }
    }
}

/// Controls a server in the parent process: sends messages on standard output, and reads replies from
/// standard input. Ends the process when the parent has ended.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the waiting closures, one that keeps lines whole. Calls out
/// on: a thread of its own.
final class PipeControl: ServerControl {
    private let writing = NSLock()
    private let waiting = Locked<(last: Int, closures: [Int: @Sendable () -> Void])>((0, [:]))

    /// Starts the thread that reads.
    init() {
        let thread = Thread { [weak self] in
            while let line = readLine() {
                Int(line).map { self?.received($0) }
            }
            ExitCode.failed.leave()
        }
        thread.start()
    }

    func whenReached(_ gate: String, count: Int, _ reached: @escaping @Sendable () -> Void) {
        send(.whenReached(number: wait(reached), gate: gate, count: count))
    }

    func whenLeft(count: Int, _ left: @escaping @Sendable () -> Void) {
        send(.whenLeft(number: wait(left), count: count))
    }

    func release(_ gate: String) {
        send(.release(gate: gate))
    }

    func send(_ message: ChildMessage) {
        writing.withLock { _ = Console.toOutput(message.line) }
    }

    /// - Returns: the number of the reply.
    private func wait(_ then: @escaping @Sendable () -> Void) -> Int {
        waiting.withLock { waiting in
            waiting.last += 1
            waiting.closures[waiting.last] = then
            return waiting.last
        }
    }

    private func received(_ number: Int) {
        let reached = waiting.withLock { $0.closures.removeValue(forKey: number) }
        reached?()
    }
}
