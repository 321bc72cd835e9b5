import Foundation
import FoundationNetworking
import OperationNetworking
import RequestEra
import SessionEra

struct CachedResponse: FoundationScenario {
    let id = "cached-answer"
    let title = "The same get twice, fresh for a minute"
    let question = "Is the server asked a second time?"
    let changes = [
        Change(
            .foundation,
            "On our transport the second get is answered from the cache, while URLSession on Linux "
                + "never stores an HTTP response in its URLCache.",
            source: "no HTTP response is stored on Linux (LX-08), as RFC 9111 would allow",
            differences: [
                .init(
                    "requests", in: .foundation, was: "1 GET /cache/60", is: "2 GET /cache/60")
            ])
    ]

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.get("cache/60") { _, object in
            stage.outcome("first", (object as? [String: Any])?["args"])
            manager.get("cache/60") { _, object in
                stage.outcome("second", (object as? [String: Any])?["args"])
            }
        }
        stage.ends(after: 2)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        manager.get("cache/60", progress: nil) { _, object in
            stage.outcome("first", (object as? [String: Any])?["args"])
            manager.get("cache/60", progress: nil) { _, object in
                stage.outcome("second", (object as? [String: Any])?["args"])
            }
        }
        stage.ends(after: 2)
    }

    func requestEra(_ stage: Stage) {
        let manager = SessionManager.default
        manager.request(stage.url("/cache/60")).responseJSON { response in
            stage.outcome("first", (response.value as? [String: Any])?["args"])
            manager.request(stage.url("/cache/60")).responseJSON { response in
                stage.outcome("second", (response.value as? [String: Any])?["args"])
            }
        }
        stage.ends(after: 2)
    }

    func foundationEra(_ stage: Stage) {
        let session = URLSession.shared
        session.dataTask(with: stage.url("/cache/60")) { data, _, error in
            stage.outcome("first", error ?? Self.arguments(in: data))
            session.dataTask(with: stage.url("/cache/60")) { data, _, error in
                stage.outcome("second", error ?? Self.arguments(in: data))
            }.resume()
        }.resume()
        stage.ends(after: 2)
    }

    private static func arguments(in data: Data?) -> Any? {
        let object = data.flatMap { try? JSONSerialization.jsonObject(with: $0) }
        return (object as? [String: Any])?["args"]
    }
}
