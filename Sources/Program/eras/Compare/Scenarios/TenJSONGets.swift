import Foundation
import FoundationNetworking
import OperationNetworking
import RequestEra
import SessionEra

struct TenJSONGets: FoundationScenario {
    let id = "ten-json-gets"
    let title = "Ten JSON gets"
    let question = "What does it take to get ten objects?"
    let changes = [
        Change(
            .design,
            "Each get is an operation of its own, or a task of one shared session, or a request "
                + "that has a task and its handlers; what arrives is the same.",
            source: "one session with a task for each request (UM-01, UM-04); a request is already "
                + "resumed (AL-05)")
    ]

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        for number in 1...10 {
            manager.get("get", parameters: ["number": number]) { _, object in
                let json = object as? [String: Any]
                stage.outcome("get \(number)", json?["args"])
            } failure: { _, error in
                stage.outcome("get \(number)", error)
            }
        }
        stage.ends(after: 10)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        for number in 1...10 {
            manager.get("get", parameters: ["number": number], progress: nil) { _, object in
                let json = object as? [String: Any]
                stage.outcome("get \(number)", json?["args"])
            } failure: { _, error in
                stage.outcome("get \(number)", error)
            }
        }
        stage.ends(after: 10)
    }

    func requestEra(_ stage: Stage) {
        for number in 1...10 {
            SessionManager.default.request(stage.url("/get"), parameters: ["number": number])
                .validate()
                .responseJSON { response in
                    let json = response.value as? [String: Any]
                    stage.outcome("get \(number)", response.error ?? json?["args"])
                }
        }
        stage.ends(after: 10)
    }

    func foundationEra(_ stage: Stage) {
        for number in 1...10 {
            URLSession.shared.dataTask(with: stage.url("/get?number=\(number)")) {
                data, _, error in
                let object = data.flatMap { try? JSONSerialization.jsonObject(with: $0) }
                stage.outcome("get \(number)", error ?? (object as? [String: Any])?["args"])
            }.resume()
        }
        stage.ends(after: 10)
    }
}
