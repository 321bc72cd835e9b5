import SessionEra
import TestSupport

/// Managers as the originals' tests set them up, on what `use` says.
extension TestWorld {
    static func httpbin() -> TestWorld {
        let world = TestWorld(routes: .httpbin)
        world.use(.connection)
        return world
    }

    var httpManager: HTTPSessionManager {
        let transport = manager.transport
        return own("http \(transport)", end: Self.leave) {
            HTTPSessionManager(
                baseURL: server.baseURL, sessionConfiguration: .ephemeral, transport: transport)
        }
    }

    var urlManager: URLSessionManager {
        let transport = manager.transport
        return own("url \(transport)", end: Self.leave) {
            URLSessionManager(sessionConfiguration: .ephemeral, transport: transport)
        }
    }

    private static func leave(_ manager: URLSessionManager) {
        manager.invalidateSessionCancelingTasks(true, resetSession: false)
    }
}
