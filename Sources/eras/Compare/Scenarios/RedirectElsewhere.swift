import Foundation
import FoundationNetworking
import OperationNetworking
import SessionEra

struct RedirectElsewhere: Scenario {
    let id = "redirect-elsewhere"
    let title = "A redirect to another origin, with credentials"
    let question = "Who gets to see the password?"
    let change = Change(
        name: "credentials leave their origin",
        sentence: "The operation's connection keeps Authorization from another host, while "
            + "URLSession on Linux sends it wherever the server points; SessionEra strips it too "
            + "unless it is told to leave that to URLSession, as here.",
        source: "URLSession on Linux keeps the field on a redirect (LX-11; wound 65)",
        differences: [
            .init(
                outcome: "Authorization there", connection: "none",
                session: "Basic YW5uOnNlY3JldA==")
        ],
        causes: [.foundation, .repair])

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.requestSerializer.setAuthorizationHeaderField(username: "ann", password: "secret")
        let elsewhere = stage.url("/headers", host: "localhost")
        manager.get("redirect", parameters: ["to": elsewhere.absoluteString]) { operation, list in
            stage.outcome("ended at", operation.response?.url?.host)
            stage.outcome("Authorization there", Self.authorization(in: list))
        } failure: { _, error in
            stage.outcome("ended at", error)
        }
        stage.ends(after: 2)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(
            baseURL: stage.baseURL, transport: .foundation)
        manager.forwardsCredentialsToOtherOrigins = true
        manager.requestSerializer.setAuthorizationHeaderField(username: "ann", password: "secret")
        let elsewhere = stage.url("/headers", host: "localhost")
        manager.get("redirect", parameters: ["to": elsewhere.absoluteString], progress: nil) {
            task, list in
            stage.outcome("ended at", task.response?.url?.host)
            stage.outcome("Authorization there", Self.authorization(in: list))
        } failure: { _, error in
            stage.outcome("ended at", error)
        }
        stage.ends(after: 2)
    }

    /// The outcome of the header fields that the other origin received.
    private static func authorization(in list: Any?) -> String {
        let fields = list as? [[String: String]] ?? []
        return fields.first { $0["name"] == "Authorization" }?["value"] ?? "none"
    }
}
