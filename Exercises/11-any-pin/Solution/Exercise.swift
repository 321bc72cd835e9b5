import Lessons

/// Exercise 11, solved: a pin makes no other check weaker.
struct Exercise: PinExercise {
    private let pins: Set<String>
    private let allowsInvalid: Bool

    init(pins: Set<String>, allowsInvalid: Bool) {
        self.pins = pins
        self.allowsInvalid = allowsInvalid
    }

    func accepts(_ server: SeenServer, host: String) -> Bool {
        server.isInDate && server.names.contains(host)
            && (server.endsAtAuthority || allowsInvalid)
            && !pins.isDisjoint(with: server.keys)
    }
}
