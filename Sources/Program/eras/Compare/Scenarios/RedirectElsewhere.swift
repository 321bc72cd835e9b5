import Foundation
import FoundationNetworking
import OperationNetworking
import RequestEra
import SessionEra

struct RedirectElsewhere: FoundationScenario {
    let id = "redirect-elsewhere"
    let title = "A redirect to another origin, with credentials"
    let question = "Which server gets the password?"
    let changes = [
        Change(
            .foundation,
            "URLSession on Linux sends Authorization wherever the server points.",
            source: "URLSession on Linux keeps the field on a redirect (LX-11)",
            differences: [
                .init(
                    "Authorization there", in: .foundation, was: "none",
                    is: "Basic YW5uOnNlY3JldA==")
            ]),
        Change(
            .repair,
            "The original's operations sent Authorization to the other origin too; here no era "
                + "does on our transport.",
            source: "credentials stay on their origin (defect 65)"),
    ]

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
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
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

    func requestEra(_ stage: Stage) {
        var headers: HTTPHeaders = [:]
        if let header = Request.authorizationHeader(user: "ann", password: "secret") {
            headers[header.key] = header.value
        }
        let elsewhere = stage.url("/headers", host: "localhost")
        SessionManager.default.request(
            stage.url("/redirect"), parameters: ["to": elsewhere.absoluteString], headers: headers
        ).validate().responseJSON { response in
            stage.outcome("ended at", response.error ?? response.response?.url?.host)
            stage.outcome("Authorization there", Self.authorization(in: response.value))
        }
        stage.ends(after: 2)
    }

    func foundationEra(_ stage: Stage) {
        let elsewhere = stage.url("/headers", host: "localhost")
        var request = URLRequest(url: stage.url("/redirect?to=\(elsewhere.absoluteString)"))
        let login = Data("ann:secret".utf8).base64EncodedString()
        request.setValue("Basic \(login)", forHTTPHeaderField: "Authorization")
        URLSession.shared.dataTask(with: request) { data, response, error in
            let list = data.flatMap { try? JSONSerialization.jsonObject(with: $0) }
            stage.outcome("ended at", error ?? response?.url?.host)
            stage.outcome("Authorization there", Self.authorization(in: list))
        }.resume()
        stage.ends(after: 2)
    }

    /// The outcome of the header fields that the other origin received.
    private static func authorization(in list: Any?) -> String {
        let fields = list as? [[String: String]] ?? []
        return fields.first { $0["name"] == "Authorization" }?["value"] ?? "none"
    }
}
