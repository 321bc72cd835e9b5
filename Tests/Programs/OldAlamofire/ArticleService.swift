import Alamofire
import Foundation

/// What a model must do to be read from a response.
protocol JSONReadable {
    init?(json: Any, from response: HTTPURLResponse)
}

enum ServiceError: Error {
    case transport(Error)
    case notJSON(Error)
    case unexpected(String)
}

struct Article: JSONReadable {
    let id: Int
    let title: String

    init?(json: Any, from response: HTTPURLResponse) {
        guard let fields = json as? [String: Any],
            let id = fields["id"] as? Int, let title = fields["title"] as? String
        else { return nil }
        self.id = id
        self.title = title
    }
}

extension DataRequest {
    static func modelSerializer<T: JSONReadable>(_ type: T.Type) -> DataResponseSerializer<T> {
        return DataResponseSerializer { request, response, data, error in
            if let error = error { return .failure(ServiceError.transport(error)) }

            let json = DataRequest.jsonResponseSerializer(options: .allowFragments)
                .serializeResponse(request, response, data, nil)
            switch json {
            case .failure(let error):
                return .failure(ServiceError.notJSON(error))
            case .success(let value):
                guard let response = response, let model = T(json: value, from: response) else {
                    return .failure(ServiceError.unexpected("\(value)"))
                }
                return .success(model)
            }
        }
    }

    @discardableResult
    func responseModel<T: JSONReadable>(
        queue: DispatchQueue? = nil, completionHandler: @escaping (DataResponse<T>) -> Void
    ) -> Self {
        return response(
            queue: queue, responseSerializer: DataRequest.modelSerializer(T.self),
            completionHandler: completionHandler)
    }
}

/// An address by a type of one's own.
struct ArticlePage: URLConvertible {
    let server: String
    let id: Int

    func asURL() throws -> URL {
        return try "\(server)/articles/\(id)".asURL()
    }
}

@discardableResult
func loadArticle(
    _ page: ArticlePage, completion: @escaping (DataResponse<Article>) -> Void
) -> Alamofire.DataRequest {
    return Alamofire.request(page).responseModel { (response: DataResponse<Article>) in
        debugPrint(response)
        completion(response)
    }
}

/// The same by mapping, away from main.
func loadTitle(_ page: ArticlePage, completion: @escaping (DataResponse<String>) -> Void) {
    let background = DispatchQueue(label: "mapping")

    Alamofire.request(page).responseJSON(queue: background) { response in
        let title = response.flatMap { json -> String in
            guard let title = (json as? [String: Any])?["title"] as? String else {
                throw ServiceError.unexpected("no title")
            }
            return title
        }
        DispatchQueue.main.async {
            completion(title.map { $0.uppercased() })
        }
    }
}
