import Foundation
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

    @Test("An origin that leaves nobody behind is forgotten, one that multiplexes sooner or later")
    func memory() {
        let admission = Admission()
        for number in 0..<20_000 {
            let (place, isGiven) = admission.place(at: "\(number)", limits: .init()) {}
            #expect(isGiven)
            admission.noteMultiplexing(at: place)
            admission.leave(place)
        }
        #expect(admission.originCount <= 1_000)
        // And the latest are remembered
        let limits = ConnectionLimits(perHost: 1, total: 100)
        #expect(admission.place(at: "19999", limits: limits) {}.isGiven)
        #expect(admission.place(at: "19999", limits: limits) {}.isGiven)
    }

    /// Seconds that a thousand exchanges take while so many origins are known and wait.
    private func time(origins: Int) -> TimeInterval {
        let admission = Admission()
        let limits = ConnectionLimits(perHost: 6, total: 1)
        for number in 0..<origins {
            let known = admission.place(at: "\(number)", limits: .init(perHost: 6, total: .max)) {}
            admission.noteMultiplexing(at: known.0)
            admission.leave(known.0)
        }
        let first = admission.place(at: "first", limits: limits) {}.0
        let waiting = (0..<origins).map { admission.place(at: "\($0)", limits: limits) {}.0 }
        let start = Date()
        admission.leave(first)
        for place in waiting.prefix(1_000) { admission.leave(place) }
        let seconds = -start.timeIntervalSinceNow
        for place in waiting.dropFirst(1_000) { admission.leave(place) }
        #expect(admission.originCount <= 1_000)
        return seconds
    }

    @Test("An exchange that ends costs the same with twenty thousand origins as with two thousand")
    func cost() {
        let few = (0..<3).map { _ in time(origins: 2_000) }.min() ?? 0
        let many = (0..<3).map { _ in time(origins: 20_000) }.min() ?? 0
        #expect(many < few * 4 + 0.005)
    }

    @Test("Who gives up behind one that waits for ever takes no memory")
    func givingUp() {
        var line = WaitingLine<Box<Bool>> { $0.value == true }
        line.append(Box(false))
        var kept: [Weak] = []
        for _ in 0..<10_000 {
            let place = Box(false)
            kept.append(Weak(place))
            line.append(place)
            place.value = true
            line.noteLeaving()
        }
        #expect(kept.count { $0.value != nil } < 100)
        #expect(line.removeFirst()?.value == false)
        #expect(line.isEmpty)
        #expect(line.first() == nil)
    }

    private struct Weak {
        weak var value: Box<Bool>?
        init(_ value: Box<Bool>) { self.value = value }
    }

    @Test("Different limits for all: each goes by its own, the oldest of those it lets in first")
    func differentTotals() {
        let admission = Admission()
        var admitted: [String] = []
        func come(_ name: String, _ total: Int) -> Admission.Place {
            admission.place(at: name, limits: .init(perHost: 6, total: total)) {
                admitted.append(name)
            }.0
        }
        let first = come("1", 2)
        let second = come("2", 2)
        _ = come("3", 1)
        _ = come("4", 2)
        _ = come("5", 2)
        admission.leave(first)
        #expect(admitted == ["4"])
        admission.leave(second)
        #expect(admitted == ["4", "5"])
    }

    @Test("What is used is kept, and of the rest at most twice the limit")
    func recentValues() {
        var values = RecentValues<Int, Int>(limit: 10)
        values.set(-1, for: -1)
        for number in 0..<1_000 {
            values.set(number, for: number)
            #expect(values.value(of: -1) == -1)
            #expect(values.count <= 20)
        }
        #expect(values.value(of: 999) == 999)
        #expect(values.value(of: 0) == nil)
        values.remove(999)
        #expect(values.value(of: 999) == nil)
    }
}
