import Alamofire
import Foundation

// snippet: begin
extension DataRequest {
    @discardableResult
    func responseDecodable<T: Decodable>(
        _ type: T.Type, completionHandler: @escaping (DataResponse<T>) -> Void
    ) -> Self {
        let serializer = DataResponseSerializer<T> { _, response, data, error in
            let result = Request.serializeResponseData(
                response: response, data: data, error: error)
            return result.flatMap { try JSONDecoder().decode(T.self, from: $0) }
        }
        return response(responseSerializer: serializer, completionHandler: completionHandler)
    }
}
// snippet: end

struct Weather: Decodable {
    let summary: String
}

func loadWeather(_ url: String, completion: @escaping (Alamofire.Result<Weather>) -> Void) {
    Alamofire.request(url).responseDecodable(Weather.self) { completion($0.result) }
}
