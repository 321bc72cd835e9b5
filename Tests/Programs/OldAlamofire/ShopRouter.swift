import Alamofire
import Foundation

// snippet: begin
enum ShopRouter: URLRequestConvertible {
    static var server = "https://shop.example.com"

    case products(page: Int)
    case product(id: Int)
    case order(Parameters)

    func asURLRequest() throws -> URLRequest {
        let base = try ShopRouter.server.asURL()
        switch self {
        case .products(let page):
            let request = try URLRequest(
                url: base.appendingPathComponent("products"), method: .get)
            return try URLEncoding.default.encode(request, with: ["page": page])
        case .product(let id):
            return try URLRequest(
                url: base.appendingPathComponent("products/\(id)"), method: .get)
        case .order(let parameters):
            let request = try URLRequest(
                url: base.appendingPathComponent("orders"), method: .post,
                headers: ["X-Shop": "1"])
            return try JSONEncoding.default.encode(request, with: parameters)
        }
    }
}
// snippet: end

func shop(_ server: String, _ route: ShopRouter, completion: @escaping (String) -> Void) {
    ShopRouter.server = server
    Alamofire.request(route).responseString { completion($0.value ?? "nothing") }
}
