import Foundation
import FoundationNetworking
import OperationNetworking

// snippet: begin
final class WeatherClient: HTTPRequestOperationManager, @unchecked Sendable {
    // @unchecked because its superclass is; it adds no variables.
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
