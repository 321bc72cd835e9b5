import CMeasure
import Foundation

/// Who runs where: servers on one core, clients on the other, where there are two. A client whose work is meant for
/// several threads at once has all.
enum Cores {
    enum Place { case serversCore, clientsCore, allCores }

    static let count = ProcessInfo.processInfo.activeProcessorCount

    /// Starts a process there: a new one runs where the thread that starts it does.
    static func on<Result, Failure: Error>(
        _ place: Place, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { move(to: 0) }
        switch place {
        case .serversCore: move(to: 0)
        case .clientsCore: move(to: 1)
        case .allCores: move(to: -1)
        }
        return try body()
    }

    /// - Parameter core: -1 is all.
    private static func move(to core: Int32) {
        if count > 1 { _ = measure_pin(core) }
    }
}
