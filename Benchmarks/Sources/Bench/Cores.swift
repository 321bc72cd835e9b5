import CMeasure
import Foundation

/// Who runs where: servers on one core, clients on the other, where there are two.
///
/// A new process runs where the thread that starts it does, so that thread changes places.
enum Cores {
    static let count = ProcessInfo.processInfo.activeProcessorCount

    static func onServers<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        move(to: 0)
        return try body()
    }

    static func onClients<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        move(to: 1)
        defer { move(to: 0) }
        return try body()
    }

    private static func move(to core: Int32) {
        if count > 1 { _ = measure_pin(core) }
    }
}
