import Foundation
import FoundationNetworking
import SessionEra

struct MemberArea {
    let manager = HTTPSessionManager()

    // snippet: begin
    init(user: String, password: String) {
        manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
            if challenge.previousFailureCount > 0 { return .cancel }
            return .use(URLCredential(user: user, password: password, persistence: .none))
        }
    }
    // snippet: end

    func enter(_ url: String, completion: @escaping @Sendable (Bool) -> Void) {
        manager.get(url) { _, _ in
            completion(true)
        } failure: { _, _ in
            completion(false)
        }
    }
}
