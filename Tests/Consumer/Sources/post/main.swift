import Foundation
import LoopbackServer
import OperationNetworking

struct Order: Codable, Sendable {
    var tea: String
    var cups: Int
    var pickUp: Date
}

struct Receipt: Decodable, Sendable {
    var number: Int
    var order: Order
}

// A server in this program, which sends the order back with a number.
let server = LoopbackServer()
server.add("/orders") { request in
    let order = String(decoding: request.body, as: UTF8.self)
    return .json("{\"number\": 1, \"order\": \(order)}")
}
server.add("/closed") { _ in .text("closed on Mondays", status: 503) }
try server.start()

let manager = HTTPRequestOperationManager(baseURL: server.baseURL)
let order = Order(tea: "Assam", cups: 2, pickUp: Date(timeIntervalSince1970: 1_800_000_000))
// Without the two the date is a number, and the name of its member is pickUp.
let encoder = JSONEncoder()
encoder.dateEncodingStrategy = .iso8601
encoder.keyEncodingStrategy = .convertToSnakeCase
let decoder = JSONDecoder()
decoder.dateDecodingStrategy = .iso8601
decoder.keyDecodingStrategy = .convertFromSnakeCase
let receipt = try await manager.post(
    "orders", body: order, as: Receipt.self, encoder: encoder, decoder: decoder)
print("order \(receipt.number): \(receipt.order.cups) cups of \(receipt.order.tea)")
print("pick up at", receipt.order.pickUp.formatted(.iso8601))

do {
    _ = try await manager.post("closed", body: order, as: Receipt.self)
} catch let error as ResponseSerializationError {
    // Another status than 200 to 299, or a body that is no Receipt.
    let status = (error.response as? HTTPURLResponse)?.statusCode ?? 0
    print("refused with \(status):", String(decoding: error.data ?? Data(), as: UTF8.self))
} catch {
    print("no response: \(error)")
}
