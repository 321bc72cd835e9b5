import Foundation

/// The origin of all requests of an era, which the page therefore shows only once.
struct RequestOrigin {
    /// An origin such as "http://127.0.0.1:8080"; nil if there are several, or no requests.
    let common: String?

    /// - Parameter requests: texts with a method and a URL, such as "GET http://127.0.0.1:8080/items".
    init(of requests: some Sequence<String>) {
        let origins = Set(requests.compactMap(Self.origin))
        common = origins.count == 1 ? origins.first : nil
    }

    /// Removes the common origin: "GET http://127.0.0.1:8080/items" becomes "GET /items".
    func removed(from request: String) -> String {
        guard let common, Self.origin(of: request) == common,
            let range = request.range(of: common)
        else { return request }
        return request.replacingCharacters(in: range, with: "")
    }

    private static func origin(of request: String) -> String? {
        guard let scheme = request.range(of: "://"),
            let path = request[scheme.upperBound...].firstIndex(of: "/")
        else { return nil }
        let blank = request[..<scheme.lowerBound].lastIndex(of: " ")
        return String(request[(blank.map(request.index(after:)) ?? request.startIndex)..<path])
    }
}
