import SmallPort6Lock
import SmallPort7Cancel
import SmallPort8Completion
import TestSupport

/// The races of AFNetworking that have a number among its issues, each shown by holding one thread: always
/// where a line is wrong, never where it is right, and never in the package.
///
/// `RACES=100` shows each a hundred times. Why the other defects are not here, Documentation/Testing.md says.
@Suite("Races of the original", .serialized, .timeLimit(.minutes(10)))
struct RaceTests {
    @Test func `defect 12: no callback follows a cancel`() throws {
        #expect(try times { try CancelRaces.look(.cancelTellsNobody).isForgotten } == raceCount)
        #expect(try times { try CancelRaces.look(nil).isForgotten } == 0)
        #expect(try times(PackageRaces.cancelIsForgotten) == 0)
    }

    @Test func `defect 14: two starts are two requests`() throws {
        #expect(try times { try LockRace.isLost(.noLock) } == raceCount)
        #expect(try times { try LockRace.isLost(nil) } == 0)
        #expect(try times(PackageRaces.isStartedTwice) == 0)
    }

    @Test func `defect 23: a batch ends before its operation's block`() throws {
        #expect(try times(PackageRaces.batchIsEarly) == 0)
    }

    @Test func `defect 24, which is not mended: a dependent operation starts before the block`()
        throws
    {
        #expect(try times(PackageRaces.dependentStartsBeforeBlock) == raceCount)
    }

    @Test func `defect 28: a success follows a cancel`() throws {
        #expect(try times { try CancelRaces.look(.resultWins).isSuccess } == raceCount)
        #expect(try times { try CancelRaces.look(nil).isSuccess } == 0)
        #expect(try times(PackageRaces.succeedsAfterCancel) == 0)
    }

    @Test func `defect 29: two threads touch one connection`() throws {
        #expect(try times { try CancelRaces.look(.cancelHere).isTouched } == raceCount)
        #expect(try times { try CancelRaces.look(nil).isTouched } == 0)
        #expect(try times(PackageRaces.isTouchedByTwoThreads) == 0)
    }

    @Test func `defect 54: a manager is released while its request ends`() throws {
        #expect(try times(PackageRaces.endsWithoutItsManager) == 0)
    }

    @Test func `defect 55: a block under a lock waits for a thread that needs the lock`() throws {
        #expect(try times { try CompletionRace.isStuck(.completionUnderLock) } == raceCount)
        #expect(try times { try CompletionRace.isStuck(nil) } == 0)
        #expect(try times(PackageRaces.isStuckInCallback) == 0)
    }
}
