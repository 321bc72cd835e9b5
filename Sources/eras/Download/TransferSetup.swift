import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import OperationNetworking

/// What every request of a fetch gets besides its address.
///
/// ## Concurrency
/// Call from: any thread; it is constant, and the cookie storage guards itself.
struct TransferSetup: Sendable {
    /// Seconds without a byte after which a try fails.
    var timeout: TimeInterval = 60
    /// Header fields, in the order given; the last of a name counts.
    var fields: [(name: String, value: String)] = []
    /// For servers that ask; it goes to the list's own hosts alone, not to where a redirect leads.
    var login: Netrc.Login?
    var netrc: Netrc?
    var configuration = URLConnectionConfiguration()
    /// The authorities that count; nil: the system's.
    var anchors: [Certificate]?

    /// Its own cookies: those of other parts of the process are none of its business.
    init() {
        configuration.cookieStorage = CookieStorage()
    }

    func request(_ url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        request.timeoutInterval = timeout
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    func prepare(_ operation: URLConnectionOperation) {
        operation.configuration = configuration
        if let login = login ?? operation.request.url?.host.flatMap({ netrc?.login(for: $0) }) {
            operation.credential = URLCredential(
                user: login.user, password: login.password, persistence: .forSession)
        }
        if let anchors {
            let policy = SecurityPolicy.default()
            policy.anchorCertificates = anchors
            operation.securityPolicy = policy
        }
    }
}
