import Foundation
import Lessons

/// Exercise 12. The profile can only be asked for with a token, and a session has no dependencies.
///
/// Both requests go out at once. Make the second one wait for the first, without blocking a thread.
struct Exercise: OrderExercise {
    private let requests: SideBySide

    init(_ requests: SideBySide) {
        self.requests = requests
    }

    func load(_ completion: @escaping @Sendable (String) -> Void) {
        requests.start("token") { token in
            print("The token is there: \(token)")
        }
        requests.start("profile") { completion($0) }
    }
}
