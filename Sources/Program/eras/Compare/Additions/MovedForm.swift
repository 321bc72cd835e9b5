import CurlConnection
import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct MovedForm: FoundationScenario {
    let id = "moved-form"
    let title = "A form whose address has moved for good"
    let question = "Does a POST stay one over a 301?"
    let changes = [
        Change(
            .repair,
            "Apple's system made a GET of it, as browsers do, and so does each era here. A setting of "
                + "the transport keeps method and body.",
            source: "301 and 302 turn POST into GET (defect 65)"),
        Change(
            .foundation,
            "URLSession on Linux has no such setting, and sends a GET.",
            source: "measured here, on Foundation for Linux",
            differences: [
                .init("arrived", in: .foundation, was: "POST tea=2", is: "GET"),
                .init(
                    "requests", in: .foundation, was: "1 POST /form, 1 POST /old",
                    is: "1 GET /form, 1 POST /old"),
            ]),
    ]

    func prepare(_ server: LoopbackServer) {
        server.add("/old") { _ in .redirect(to: "/form", status: 301) }
        server.add("/form") { request in
            let body = String(decoding: request.body, as: UTF8.self)
            return .text(body.isEmpty ? request.method : "\(request.method) \(body)")
        }
    }

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.configuration.keepsMethodAfterRedirect = true
        manager.post("old", parameters: ["tea": 2]) { _, data in
            stage.outcome("arrived", data)
        } failure: { _, error in
            stage.outcome("arrived", error)
        }
        stage.ends(after: 1)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        var connection = URLConnectionConfiguration()
        connection.keepsMethodAfterRedirect = true
        manager.connectionConfiguration = connection
        manager.post("old", parameters: ["tea": 2], progress: nil) { _, data in
            stage.outcome("arrived", data)
        } failure: { _, error in
            stage.outcome("arrived", error)
        }
        stage.ends(after: 1)
    }

    func requestEra(_ stage: Stage) {
        let manager = stage.keep(SessionManager())
        var connection = URLConnectionConfiguration()
        connection.keepsMethodAfterRedirect = true
        manager.connectionConfiguration = connection
        manager.request(stage.url("/old"), method: .post, parameters: ["tea": 2])
            .responseData { response in
                stage.outcome("arrived", response.error ?? response.value)
            }
        stage.ends(after: 1)
    }

    func foundationEra(_ stage: Stage) {
        var request = URLRequest(url: stage.url("/old"))
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data("tea=2".utf8)
        URLSession.shared.dataTask(with: request) { data, _, error in
            stage.outcome("arrived", error ?? data)
        }.resume()
        stage.ends(after: 1)
    }
}
