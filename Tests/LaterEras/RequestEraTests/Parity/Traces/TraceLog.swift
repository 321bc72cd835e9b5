import ParitySupport
import TestSupport

@testable import RequestEra

/// What happened in a scenario, as the recorder wrote it down: with more members than the recording
/// may have.
final class TraceLog: Sendable {
    private struct State {
        var events: [GoldenValue] = []
        var names: [ObjectIdentifier: String] = [:]
        var requests: [Request] = []
        var extra: [String: GoldenValue] = [:]
    }

    private let state = Watched(State())

    var events: [GoldenValue] { state.now.events }
    var requests: [Request] { state.now.requests }
    var extra: [String: GoldenValue] { state.now.extra }

    func add(
        _ event: String, _ members: [String: GoldenValue] = [:], thread: String = TraceThread.name
    ) {
        let all = members.merging(["e": .string(event), "thread": .string(thread)]) { $1 }
        state.change { $0.events.append(.object(all)) }
    }

    /// A, B, …: in the order of first sight.
    @discardableResult
    func name(_ request: Request) -> String {
        state.change { state in
            if let name = state.names[ObjectIdentifier(request)] { return name }
            let name = ["A", "B", "C", "D"][state.requests.count]
            state.names[ObjectIdentifier(request)] = name
            state.requests.append(request)
            return name
        }
    }

    /// A value beside the requests' in the recording's `final`.
    func set(_ name: String, _ value: GoldenValue) {
        state.change { $0.extra[name] = value }
    }

    func append(_ value: GoldenValue, to name: String) {
        state.change { state in
            state.extra[name] = .array((state.extra[name]?.elements ?? []) + [value])
        }
    }

    /// Waits for so many events of a kind.
    @discardableResult
    func reaches(_ count: Int, _ kind: String, within seconds: Double = 10) async -> Bool {
        await state.reaches(within: seconds) { state in
            state.events.count { $0["e"]?.string == kind } >= count
        }
    }

    @discardableResult
    func reaches(_ count: Int, within seconds: Double) async -> Bool {
        await state.reaches(within: seconds) { $0.events.count >= count }
    }
}

/// The thread of an event in the recorder's words.
enum TraceThread {
    private static let key = DispatchSpecificKey<String>()

    static func queue(_ name: String) -> DispatchQueue {
        let queue = DispatchQueue(label: "queue " + name)
        queue.setSpecific(key: key, value: "queue " + name)
        return queue
    }

    static var name: String {
        if MainQueue.isCurrent { return "main" }
        if let name = DispatchQueue.getSpecific(key: key) { return name }
        guard let queue = OperationQueue.current else { return "utility queue" }
        return queue.name == "org.alamofire.session-manager"
            ? "the session's delegate queue" : "the request's queue"
    }
}

/// An error in a word, as traces have it.
func short(_ error: (any Error)?) -> GoldenValue {
    switch error {
    case nil: return .absent
    case let error as PlainError: return .string("PlainError(\(error.tag))")
    case let error as AFError:
        let name = SeenValue.error(error)["AFError"]?.string ?? ""
        return .string("AFError.\(name)" + (error.responseCode.map { "(\($0))" } ?? ""))
    case let error?:
        let error = error as NSError
        return .string("\(error.domain) \(error.code)")
    }
}
