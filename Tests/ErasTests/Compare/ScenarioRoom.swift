import Foundation
import LoopbackServer

@testable import eras

/// Runs a scenario in this process, against a server of its own.
struct ScenarioRoom {
    let scenario: any Scenario

    /// - Returns: what was recorded, and what the server saw.
    func run(_ era: Era) async throws -> [Outcome] {
        let server = LoopbackServer(routes: scenario.routes)
        scenario.prepare(server)
        try server.start()
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("eras-scenario-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stage = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Stage, any Error>) in
            let stage = Stage(
                baseURL: server.baseURL, folder: folder, control: DirectControl(server: server)
            ) { continuation.resume(returning: $0) }
            DispatchQueue.main.async {
                do {
                    try scenario.run(era, on: stage)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        server.stop()
        return stage.recorded.outcomes + scenario.witness(server)
    }
}

/// The project's folder.
let projectFolder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
