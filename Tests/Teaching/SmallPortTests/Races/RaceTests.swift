import SmallPort6Lock
import SmallPort7Cancel
import SmallPort8Completion
import TestSupport

/// The races of AFNetworking that have a number among its issues, each shown by holding one thread: always
/// where a line is wrong, never where it is right, and never in the package.
///
/// `RACES=100` shows each a hundred times. Why the other wounds are not here, Documentation/Testing.md says.
@Suite("Races of the original", .serialized, .timeLimit(.minutes(10)))
struct RaceTests {
    @Test func `wound 12: after a cancel nobody is told`() throws {
        #expect(try times { try CancelRaces.look(.cancelTellsNobody).isForgotten } == raceCount)
        #expect(try times { try CancelRaces.look(nil).isForgotten } == 0)
        #expect(try times(PackageRaces.cancelIsForgotten) == 0)
    }

    @Test func `wound 14: two starts are two requests`() throws {
        #expect(try times { try LockRace.isLost(.noLock) } == raceCount)
        #expect(try times { try LockRace.isLost(nil) } == 0)
        #expect(try times(PackageRaces.isStartedTwice) == 0)
    }

    @Test func `wound 23: a batch ends before its operation's block`() throws {
        #expect(try times(PackageRaces.batchIsEarly) == 0)
    }

    @Test func `wound 24, which is kept: a dependent starts before the block`() throws {
        #expect(try times(PackageRaces.dependentStartsBeforeBlock) == raceCount)
    }

    @Test func `wound 28: a success follows a cancel`() throws {
        #expect(try times { try CancelRaces.look(.resultWins).isSuccess } == raceCount)
        #expect(try times { try CancelRaces.look(nil).isSuccess } == 0)
        #expect(try times(PackageRaces.succeedsAfterCancel) == 0)
    }

    @Test func `wound 29: two threads touch one connection`() throws {
        #expect(try times { try CancelRaces.look(.cancelHere).isTouched } == raceCount)
        #expect(try times { try CancelRaces.look(nil).isTouched } == 0)
        #expect(try times(PackageRaces.isTouchedByTwoThreads) == 0)
    }

    @Test func `wound 54: a manager goes while its request ends`() throws {
        #expect(try times(PackageRaces.endsWithoutItsManager) == 0)
    }

    @Test func `wound 55: a block under a lock waits for who needs it`() throws {
        #expect(try times { try CompletionRace.isStuck(.completionUnderLock) } == raceCount)
        #expect(try times { try CompletionRace.isStuck(nil) } == 0)
        #expect(try times(PackageRaces.isStuckInCallback) == 0)
    }
}
