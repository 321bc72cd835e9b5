import TestSupport

@testable import OperationNetworking

/// What the table does not show: marks that an operation has over several events.
@Suite("An operation's marks", .timeLimit(.minutes(1)))
struct OperationMarkTests {
    typealias Machine = OperationMachine

    private func started() -> Machine {
        var machine = Machine()
        #expect(machine.start(areDependenciesDone: true).job == .begin(1))
        return machine
    }

    @Test func `a run that pauses before it began posts nothing, one that began its finish`() {
        var machine = started()
        #expect(machine.pause().notification == nil)
        #expect(machine.resume().restarts)
        #expect(machine.restart().job == .begin(2))
        #expect(machine.began(1) == .none)
        #expect(machine.began(2).notification == .didStart)
        #expect(machine.pause().notification == .didFinish)
        #expect(machine.ended(.success).notification == nil)
    }

    @Test func `an operation that never began posts its finish alone`() {
        var machine = started()
        #expect(machine.ended(.failure).notification == .didFinish)
    }

    @Test func `a resume while the object is made begins nothing, and the object ends it`() {
        var machine = started()
        #expect(machine.began(1).connects)
        #expect(machine.ended(.success, isObjectFirst: true).makesObject)
        #expect(machine.pause().job == .interrupt(1))
        #expect(machine.resume().restarts)
        #expect(machine.restart().job == .begin(2))
        #expect(machine.began(2) == .none)
        #expect(machine.objectMade().end == .success)
        #expect(machine.objectMade() == .none)
    }

    @Test func `where limits come after its first run it counts, also while it is paused`() {
        var machine = started()
        _ = machine.pause()
        #expect(machine.slotNeeded(areDependenciesDone: true).slot == .take)
        #expect(machine.resume().restarts)
        #expect(machine.slotNeeded(areDependenciesDone: true).slot == .take)
        #expect(machine.restart(hasSlot: true).job == .begin(2))
    }

    @Test func `it keeps itself while it is paused, was started and owes a result`() {
        var machine = Machine()
        machine.owesResult = true
        _ = machine.pause()
        #expect(!machine.retainsItself)
        _ = machine.resume()
        _ = machine.start(areDependenciesDone: true)
        #expect(!machine.retainsItself)
        _ = machine.pause()
        #expect(machine.retainsItself)
        machine.owesResult = false
        #expect(!machine.retainsItself)
    }

    @Test func `the blocks go with the last completion`() {
        var machine = Machine()
        machine.completionBegins()
        machine.completionBegins()
        #expect(!machine.completionEnds() && machine.completionEnds())
        #expect(!machine.isReleased)
        machine.release()
        #expect(machine.isReleased)
    }

    @Test func `one that was read finished from an archive is released`() {
        #expect(Machine(.finished).isReleased && !Machine().isReleased)
        #expect(Machine(.finished).wasStarted && !Machine().wasStarted && !Machine().hasRun)
    }
}
