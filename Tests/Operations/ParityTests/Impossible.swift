/// Recorded scenarios that cannot be written in Swift, each with the reason.
enum Impossible {
    static let scenarios = [
        "responseSerializer-nil":
            "The property is not optional: what raised an exception does not compile."
    ]
}
