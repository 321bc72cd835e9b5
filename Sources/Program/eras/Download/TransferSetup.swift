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
    /// Header fields, in the order given. Values of one name are joined, where HTTP has lists.
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
        request.setValue(Self.userAgent, forHTTPHeaderField: "User-Agent")
        for (name, value) in fields {
            let key = name.lowercased()
            // As with curl, no name at all.
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

    /// Fields of one value, of which the last counts.
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

    /// That of the arguments, else of the URL, else of the netrc file, which may also have the password of
    /// the URL's user.
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
