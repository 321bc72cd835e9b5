import Foundation
import FoundationNetworking
import OperationNetworking

func memberArea(_ base: URL, user: String, password: String) -> HTTPRequestOperationManager {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: base)
    manager.credential = URLCredential(user: user, password: password, persistence: .none)
    // snippet: end
    return manager
}
