import Locking

/// The routes of one server.
///
/// ## Concurrency
/// Call from any thread. One lock guards the routes; nothing is called under it.
final class RouteTable: Sendable {
    private let routes: Locked<Routes>

    init(_ routes: Routes) {
        self.routes = Locked(routes)
    }

    var catalogue: [(path: String, sentence: String)] { routes.withLock { $0.catalogue } }

    func find(_ path: String) -> Routes.Route? {
        routes.withLock { $0.find(path) }
    }

    func change(_ body: (inout sending Routes) -> Void) {
        routes.withLock { body(&$0) }
    }
}
