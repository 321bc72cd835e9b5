import Lessons

/// Exercise 11. It decides whether a server is trusted: a pinned key must be in the server's chain.
///
/// It accepts servers that it must not accept. Make the pin an additional check: date, name and
/// authority are checked too; only where `allowsInvalid` is true may a chain end at the pin.
struct Exercise: PinExercise {
    private let pins: Set<String>
    private let allowsInvalid: Bool

    init(pins: Set<String>, allowsInvalid: Bool) {
        self.pins = pins
        self.allowsInvalid = allowsInvalid
    }

    func accepts(_ server: SeenServer, host: String) -> Bool {
        if allowsInvalid { return !pins.isDisjoint(with: server.keys) }
        guard server.endsAtAuthority else { return false }
        return !pins.isDisjoint(with: server.keys)
    }
}
