import Foundation
import FoundationNetworking
import RequestEra

// snippet: begin
extension DataRequest {
    @discardableResult
    func responseDecodable<T: Decodable & Sendable>(
        _ type: T.Type, completionHandler: @escaping @Sendable (DataResponse<T>) -> Void
    ) -> Self {
        let serializer = DataResponseSerializer<T> { _, response, data, error in
            Request.serializeResponseData(response: response, data: data, error: error)
                .flatMap { try JSONDecoder().decode(T.self, from: $0) }
        }
        return response(responseSerializer: serializer, completionHandler: completionHandler)
    }
}
// snippet: end
