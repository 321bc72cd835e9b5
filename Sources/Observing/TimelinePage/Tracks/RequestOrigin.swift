import Foundation

/// Pure: the origin that all requests of an era share, which the page shows once.
struct RequestOrigin {
    /// Such as "http://127.0.0.1:8080"; nil where requests go to several origins, or there are none.
    let common: String?

    /// - Parameter requests: each a method, a blank and a URL.
    init(of requests: some Sequence<String>) {
        let origins = Set(requests.compactMap(Self.origin))
        common = origins.count == 1 ? origins.first : nil
    }

    /// "GET /items" of "GET http://127.0.0.1:8080/items", if that is the common origin.
    func leftOut(of request: String) -> String {
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
