import Testing

@testable import CurlConnection

@Suite("Who may use a connection", .timeLimit(.minutes(5)))
struct AdmissionTests {
    /// A line, and who was let in late.
    private final class Room {
        private let admission = Admission()
        private let limits: ConnectionLimits
        private(set) var admitted: [String] = []
        private var places: [String: Admission.Place] = [:]

        init(perHost: Int, total: Int = 100) {
            limits = ConnectionLimits(perHost: perHost, total: total)
        }

        func come(_ name: String, to origin: String = "a") -> Bool {
            let (place, isGiven) = admission.place(at: origin, limits: limits) { [unowned self] in
                admitted.append(name)
            }
            places[name] = place
            return isGiven
        }

        func leave(_ name: String) {
            places[name].map(admission.leave)
        }

        func noteMultiplexing(at name: String) {
            places[name].map(admission.noteMultiplexing)
        }
    }

    @Test("As many as the limit says are let in at once, the next waits")
    func limit() {
        let room = Room(perHost: 2)
        #expect(room.come("1"))
        #expect(room.come("2"))
        #expect(!room.come("3"))
        #expect(room.come("other", to: "b"))
        #expect(room.admitted.isEmpty)
    }

    @Test("Who waits is let in in the order of coming, one for each that leaves")
    func order() {
        let room = Room(perHost: 1)
        for name in ["1", "2", "3", "4"] { _ = room.come(name) }
        room.leave("1")
        #expect(room.admitted == ["2"])
        room.leave("2")
        room.leave("3")
        #expect(room.admitted == ["2", "3", "4"])
    }

    @Test("A newcomer does not overtake who waits")
    func noOvertaking() {
        let room = Room(perHost: 1)
        _ = room.come("1")
        _ = room.come("2")
        room.leave("1")
        #expect(!room.come("3"))
    }

    @Test("Who leaves the line is passed over and takes no place")
    func cancelled() {
        let room = Room(perHost: 1)
        for name in ["1", "2", "3"] { _ = room.come(name) }
        room.leave("2")
        #expect(room.admitted.isEmpty)
        room.leave("1")
        #expect(room.admitted == ["3"])
        room.leave("3")
        #expect(room.come("4"))
        #expect(!room.come("5"))
    }

    @Test("To leave twice gives back one place")
    func leavingTwice() {
        let room = Room(perHost: 1)
        for name in ["1", "2", "3"] { _ = room.come(name) }
        room.leave("1")
        room.leave("1")
        #expect(room.admitted == ["2"])
    }

    @Test("The limit for all keeps others waiting too, and lets the oldest in first")
    func total() {
        let room = Room(perHost: 2, total: 2)
        _ = room.come("1", to: "a")
        _ = room.come("2", to: "a")
        #expect(!room.come("3", to: "b"))
        #expect(!room.come("4", to: "c"))
        #expect(!room.come("5", to: "b"))
        room.leave("1")
        #expect(room.admitted == ["3"])
        room.leave("2")
        #expect(room.admitted == ["3", "4"])
        room.leave("3")
        #expect(room.admitted == ["3", "4", "5"])
    }

    @Test("An origin that multiplexes takes many at once, and those who wait at once")
    func multiplexing() {
        let room = Room(perHost: 1)
        for name in ["1", "2", "3"] { _ = room.come(name) }
        room.noteMultiplexing(at: "1")
        #expect(room.admitted == ["2", "3"])
        #expect(room.come("4"))
    }

    @Test("Ten thousand that wait and leave again cost no more than they have to")
    func many() {
        let room = Room(perHost: 6)
        for number in 0..<10_000 { _ = room.come("\(number)") }
        for number in 6..<9_999 { room.leave("\(number)") }
        room.leave("0")
        #expect(room.admitted == ["9999"])
    }
}
