import Foundation
import FoundationNetworking
import OperationNetworking
import RequestEra
import SessionEra

struct BasicAndDigest: Scenario {
    let id = "basic-and-digest"
    let title = "Basic and Digest"
    let question = "Is a challenge answered with the credential?"
    let changes = [
        Change(
            .design,
            "An operation and its manager have a credential, a session asks a block about each "
                + "challenge, and a request is told a name and a password.",
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
                    is: "com.alamofire.error.serialization.response -1011"),
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
        let manager = HTTPSessionManager(baseURL: stage.baseURL, transport: stage.transport)
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
        // Name and password are there before the first challenge.
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
}
