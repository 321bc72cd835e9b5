import Lessons

/// Exercise 11. A judge with pins: it knows a key that must be in the server's chain.
///
/// It accepts servers that it must not accept. Make the pin an addition: with it, date, name and
/// authority count as before; only where `allowsInvalid` is on may a chain end at the pin.
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
