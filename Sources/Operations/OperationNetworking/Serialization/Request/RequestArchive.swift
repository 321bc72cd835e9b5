import Foundation
package import FoundationNetworking

/// A request in an archive, without a body stream. Foundation's own coding crashes for a missing value.
package struct RequestArchive: Codable {
    private var url: String?
    private var mainDocumentURL: String?
    private var method: String?
    private var fields: [String: String]?
    private var body: Data?
    private var cachePolicy: UInt
    private var timeoutInterval: Double
    private var networkServiceType: UInt
    private var allowsCellularAccess: Bool
    private var handlesCookies: Bool
    private var usesPipelining: Bool

    package init(_ request: URLRequest) {
        url = request.url?.absoluteString
        mainDocumentURL = request.mainDocumentURL?.absoluteString
        method = request.httpMethod
        fields = request.allHTTPHeaderFields
        body = request.httpBody
        cachePolicy = request.cachePolicy.rawValue
        timeoutInterval = request.timeoutInterval
        networkServiceType = request.networkServiceType.rawValue
        allowsCellularAccess = request.allowsCellularAccess
        handlesCookies = request.httpShouldHandleCookies
        usesPipelining = (request as any Pipelining).httpShouldUsePipelining
    }

    package var httpMethod: String? { method }

    /// Nil for invalid values.
    package var request: URLRequest? {
        let made = url.flatMap(Self.url)
        guard made != nil || url == nil,
            let cachePolicy = URLRequest.CachePolicy(rawValue: cachePolicy),
            let service = URLRequest.NetworkServiceType(rawValue: networkServiceType),
            timeoutInterval.isFinite
        else { return nil }
        var request = URLRequest(url: made ?? URL(fileURLWithPath: "/"))
        request.url = made
        request.mainDocumentURL = mainDocumentURL.flatMap(Self.url)
        request.httpMethod = method
        request.allHTTPHeaderFields = fields
        request.httpBody = body
        request.cachePolicy = cachePolicy
        request.timeoutInterval = timeoutInterval
        request.networkServiceType = service
        request.allowsCellularAccess = allowsCellularAccess
        request.httpShouldHandleCookies = handlesCookies
        request.setPipelining(usesPipelining)
        return request
    }

    private static func url(_ text: String) -> URL? {
        URL(string: text, encodingInvalidCharacters: false)
    }
}

/// A response in an archive: the values from which Foundation derives all others.
struct ResponseArchive: Codable {
    private var url: String
    private var status: Int
    private var fields: [String: String]

    init?(_ response: URLResponse?) {
        guard let response = response as? HTTPURLResponse, let url = response.url else {
            return nil
        }
        self.url = url.absoluteString
        status = response.statusCode
        fields = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { fields[name] = value }
        }
    }

    var response: HTTPURLResponse? {
        URL(string: url, encodingInvalidCharacters: false).flatMap {
            HTTPURLResponse(url: $0, statusCode: status, httpVersion: nil, headerFields: fields)
        }
    }
}
