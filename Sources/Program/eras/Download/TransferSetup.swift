import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import OperationNetworking

/// The settings of every request of a fetch, except its URL.
///
/// ## Concurrency
/// Call from: any thread; it is a value, and the cookie storage has a lock.
struct TransferSetup: Sendable {
    /// Seconds without a byte after which a try fails.
    var timeout: TimeInterval = 60
    /// Header fields, in the order given. Values of one name are joined where HTTP allows lists.
    var fields: [(name: String, value: String)] = []
    /// For servers that ask. It is sent to the list's hosts alone, and not after a redirect to another.
    var login: Netrc.Login?
    var netrc: Netrc?
    var configuration = URLConnectionConfiguration()
    /// The trusted authorities; nil for the system's.
    var anchors: [Certificate]?

    /// With a cookie storage of its own.
    init() {
        configuration.cookieStorage = CookieStorage()
    }

    func request(_ url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        request.timeoutInterval = timeout
        request.setValue(Self.userAgent, forHTTPHeaderField: "User-Agent")
        for (name, value) in fields {
            let key = name.lowercased()
            // As with curl, sends no field.
            if key == "user-agent", value.isEmpty {
                request.setValue(nil, forHTTPHeaderField: name)
                continue
            }
            let old = Self.single.contains(key) ? nil : request.value(forHTTPHeaderField: name)
            let before = old.map { $0.isEmpty ? "" : $0 + (key == "cookie" ? "; " : ", ") } ?? ""
            request.setValue(before + value, forHTTPHeaderField: name)
        }
        return request
    }

    /// The program's name, where no other is given.
    static let userAgent = "eras/\(ProgramVersion.text)"

    /// Fields that are no lists, of which the last value is sent.
    private static let single: Set<String> = [
        "authorization", "content-type", "host", "range", "referer", "user-agent",
    ]

    func prepare(_ operation: URLConnectionOperation) {
        operation.configuration = configuration
        if let login = operation.request.url.flatMap(login) {
            operation.credential = URLCredential(
                user: login.user, password: login.password, persistence: .forSession)
        }
        if let anchors {
            let policy = SecurityPolicy.default()
            policy.anchorCertificates = anchors
            operation.securityPolicy = policy
        }
    }

    /// The login of the arguments, else of the URL, else of the netrc file. The latter may also have
    /// the password of the URL's user.
    private func login(for url: URL) -> Netrc.Login? {
        if let login { return login }
        let host = url.host ?? ""
        guard let user = url.user(percentEncoded: false), !user.isEmpty else {
            return netrc?.login(for: host)
        }
        if let password = url.password(percentEncoded: false) {
            return Netrc.Login(user: user, password: password)
        }
        return netrc?.login(for: host, user: user) ?? Netrc.Login(user: user)
    }
}
