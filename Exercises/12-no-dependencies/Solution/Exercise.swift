import Lessons

/// Exercise 12, solved: what waits is written inside the block of what it waits for.
struct Exercise: OrderExercise {
    private let requests: SideBySide

    init(_ requests: SideBySide) {
        self.requests = requests
    }

    func load(_ completion: @escaping @Sendable (String) -> Void) {
        requests.start("token") { [requests] token in
            requests.start("profile \(token)") { completion($0) }
        }
    }
}
