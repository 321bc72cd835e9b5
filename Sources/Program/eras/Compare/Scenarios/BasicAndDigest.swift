import Foundation
import FoundationNetworking
import OperationNetworking
import RequestEra
import SessionEra

struct BasicAndDigest: FoundationScenario {
    let id = "basic-and-digest"
    let title = "Basic and Digest"
    let question = "Is a challenge answered with the credential?"
    let changes = [
        Change(
            .design,
            "An operation and its manager have a credential, a session asks a block about each "
                + "challenge, and a request gets a name and a password.",
            source: "the manager's credential goes to its operations (AU-4), a block answers "
                + "challenges (UM-18), authenticate answers the first one (AL-31)"),
        Change(
            .foundation,
            "URLSession on Linux asks its delegate for Basic alone and hands the 401 of Digest to "
                + "the caller.",
            source: "URLSession on Linux asks for Basic alone (LX-12)",
            differences: [
                .init(
                    "digest", in: .foundation, was: #"{"authenticated":true,"user":"ann"}"#,
                    is: "status 401"),
                .init(
                    "requests", in: .foundation,
                    was: "2 GET /basic-auth/ann/secret, 2 GET /digest-auth/auth/ann/secret",
                    is: "2 GET /basic-auth/ann/secret, 1 GET /digest-auth/auth/ann/secret"),
            ]),
    ]

    private static let paths = [
        ("basic", "basic-auth/ann/secret"), ("digest", "digest-auth/auth/ann/secret"),
    ]

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.credential = URLCredential(
            user: "ann", password: "secret", persistence: .forSession)
        for (name, path) in Self.paths {
            manager.get(path) { _, object in
                stage.outcome(name, object)
            } failure: { _, error in
                stage.outcome(name, error)
            }
        }
        stage.ends(after: 2)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
            let credential = URLCredential(
                user: "ann", password: "secret", persistence: .forSession)
            return challenge.previousFailureCount == 0
                ? .use(credential) : .cancel
        }
        for (name, path) in Self.paths {
            manager.get(path, progress: nil) { _, object in
                stage.outcome(name, object)
            } failure: { _, error in
                stage.outcome(name, error)
            }
        }
        stage.ends(after: 2)
    }

    func requestEra(_ stage: Stage) {
        // Not started at once, so that name and password are set before the first challenge.
        let manager = stage.keep(SessionManager())
        manager.startRequestsImmediately = false
        for (name, path) in Self.paths {
            manager.request(stage.url(path))
                .authenticate(user: "ann", password: "secret")
                .validate()
                .responseJSON { response in
                    stage.outcome(name, response.error ?? response.value)
                }
                .resume()
        }
        stage.ends(after: 2)
    }

    func foundationEra(_ stage: Stage) {
        let session = URLSession(
            configuration: .default, delegate: Login(user: "ann", password: "secret"),
            delegateQueue: nil)
        for (name, path) in Self.paths {
            session.dataTask(with: stage.url(path)) { data, response, error in
                let status = (response as? HTTPURLResponse)?.statusCode ?? 0
                let object = data.flatMap { try? JSONSerialization.jsonObject(with: $0) }
                stage.outcome(name, error ?? (status == 200 ? object : "status \(status)"))
            }.resume()
        }
        stage.ends(after: 2)
    }
}

/// Answers the first challenge of a task with a credential.
private final class Login: NSObject, URLSessionTaskDelegate {
    private let (user, password): (String, String)

    init(user: String, password: String) {
        (self.user, self.password) = (user, password)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard challenge.previousFailureCount == 0 else {
            return completionHandler(.cancelAuthenticationChallenge, nil)
        }
        let credential = URLCredential(user: user, password: password, persistence: .forSession)
        completionHandler(.useCredential, credential)
    }
}
