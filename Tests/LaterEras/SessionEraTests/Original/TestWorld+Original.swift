import SessionEra
import TestSupport

/// Managers as the originals' tests set them up, on what `use` says.
extension TestWorld {
    static func httpbin() -> TestWorld {
        let world = TestWorld(routes: .httpbin)
        return world
    }

    var httpManager: HTTPSessionManager {
        own(end: Self.leave) {
            HTTPSessionManager(
                baseURL: server.baseURL, sessionConfiguration: .ephemeral)
        }
    }

    var urlManager: URLSessionManager {
        own(end: Self.leave) {
            URLSessionManager(sessionConfiguration: .ephemeral)
        }
    }

    private static func leave(_ manager: URLSessionManager) {
        manager.invalidateSessionCancelingTasks(true, resetSession: false)
    }
}
