import Foundation
import FoundationNetworking
import RequestEra

// snippet: begin
struct ShopRouter: URLRequestConvertible {
    enum Route {
        case products(page: Int)
        case product(id: Int)
        case order(Parameters)
    }

    let server: String
    let route: Route

    func asURLRequest() throws -> URLRequest {
        let base = try server.asURL()
        switch route {
        case .products(let page):
            let request = try URLRequest(url: base.appending(path: "products"), method: .get)
            return try URLEncoding.default.encode(request, with: ["page": page])
        case .product(let id):
            return try URLRequest(url: base.appending(path: "products/\(id)"), method: .get)
        case .order(let parameters):
            let request = try URLRequest(
                url: base.appending(path: "orders"), method: .post, headers: ["X-Shop": "1"])
            return try JSONEncoding.default.encode(request, with: parameters)
        }
    }
}
// snippet: end
