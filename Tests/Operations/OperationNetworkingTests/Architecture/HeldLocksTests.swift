#if DEBUG
    import Locking
    import TestSupport

    @testable import OperationNetworking

    /// A thread holds one of OperationNetworking's locks at most, and none where it calls a caller's code; debug builds
    /// stop otherwise, and so does a run of all tests.
    @Suite("Held locks")
    struct HeldLocksTests {
        private let one = Locked(0, "OperationNetworking/One.swift")
        private let other = Locked(0, "OperationNetworking/Other.swift")
        private let operation = URLConnectionOperation(
            request: URLRequest(url: URL(filePath: "/nothing")))

        @Test func `a second lock is found`() {
            let faults = HeldLocks.faults { one.withLock { _ in other.withLock { _ in } } }
            #expect(
                faults == [
                    "The lock of OperationNetworking/Other.swift is taken while that of "
                        + "OperationNetworking/One.swift is held."
                ])
        }

        @Test func `one under an operation's, and an operation's under one, are found`() {
            let under = HeldLocks.faults { operation.lock.withLock { one.withLock { _ in } } }
            let over = HeldLocks.faults { one.withLock { _ in operation.pause() } }
            #expect(under.count == 1 && under[0].hasPrefix("The lock of OperationNetworking/One"))
            #expect(over.contains { $0.contains("OperationLock.swift is taken") })
        }

        @Test func `a call to a caller's code under a lock is found`() {
            let faults = HeldLocks.faults { operation.lock.withLock { HeldLocks.assertNone() } }
            #expect(faults.count == 1 && faults[0].contains("calls out"))
        }

        @Test func `one after another, and an operation's again, are none`() {
            let faults = HeldLocks.faults {
                one.withLock { _ in }
                other.withLock { _ in }
                operation.lock.withLock { operation.lock.withLock {} }
                HeldLocks.assertNone()
            }
            #expect(faults == [])
        }

        @Test func `the locks of other modules, and inner ones, do not count`() {
            let foreign = Locked(0)
            let inner = Locked(0, isInner: true, "OperationNetworking/In.swift")
            let faults = HeldLocks.faults {
                one.withLock { _ in foreign.withLock { _ in } }
                one.withLock { _ in inner.withLock { _ in } }
            }
            #expect(faults == [])
        }
    }
#endif
