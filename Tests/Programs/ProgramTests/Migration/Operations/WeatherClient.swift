import Foundation
import FoundationNetworking
import OperationNetworking

// snippet: begin
final class WeatherClient: HTTPRequestOperationManager, @unchecked Sendable {
    // @unchecked because it restates the superclass, and adds nothing that varies.
    static let shared = WeatherClient(baseURL: URL(string: "http://api.example.com/v1/"))

    func forecast(
        city: String, completion: @escaping @Sendable (Result<String?, any Error>) -> Void
    ) {
        get("forecast", parameters: ["city": city]) { _, object in
            let json = object as? [String: Any]
            completion(.success(json?["summary"] as? String))
        } failure: { _, error in
            completion(.failure(error))
        }
    }
}
// snippet: end
