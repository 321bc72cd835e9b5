import Foundation

/// Checks two rules for the locks of the module OperationNetworking: a thread that holds one takes no other, so that no
/// deadlock is possible; and it holds none when a caller's code is called.
///
/// A debug build ends the process if a rule is broken. A release build does not check. The locks of lower modules are
/// not checked, because no code of OperationNetworking is called while they are held.
///
/// ## Concurrency
/// Call from: any thread; each thread has a record of its own. Lock: none.
public enum HeldLocks {
    #if DEBUG
        /// The locks that one thread holds.
        private final class Record {
            var held: [(lock: UnsafeMutableRawPointer, place: StaticString)] = []
            /// The broken rules, for a test to read; nil if a broken rule ends the process.
            var found: [String]?

            func report(_ fault: String) {
                if found != nil {
                    found?.append(fault)
                } else if HeldLocks.goesOn {
                    FileHandle.standardError.write(Data("\(fault)\n".utf8))
                } else {
                    assertionFailure(fault)
                }
            }
        }

        /// With the environment variable `HELD_LOCKS=report`, broken rules are written to standard error, and the
        /// process continues.
        private static let goesOn =
            ProcessInfo.processInfo.environment["HELD_LOCKS"] == "report"

        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            pthread_key_create(&key) { record in
                if let record { Unmanaged<Record>.fromOpaque(record).release() }
            }
            return key
        }()

        private static var record: Record {
            if let record = pthread_getspecific(key) {
                return Unmanaged<Record>.fromOpaque(record).takeUnretainedValue()
            }
            let record = Record()
            pthread_setspecific(key, Unmanaged.passRetained(record).toOpaque())
            return record
        }

        /// Whether a lock that is made in this file is checked.
        public static func counts(_ file: StaticString) -> Bool {
            file.withUTF8Buffer { $0.starts(with: "OperationNetworking/".utf8) }
        }

        /// To be called when a lock is taken, also by the thread that holds it already.
        public static func take(_ lock: UnsafeMutableRawPointer, _ place: StaticString) {
            let record = record
            if let other = record.held.last, other.lock != lock {
                record.report("The lock of \(place) is taken while that of \(other.place) is held.")
            }
            record.held.append((lock, place))
        }

        /// To be called when a lock is released.
        public static func giveBack(_ lock: UnsafeMutableRawPointer) {
            record.held.removeLast()
        }

        /// Runs a block on this thread and returns the rules that it has broken, in place of ending the process.
        package static func faults(in block: () -> Void) -> [String] {
            let record = record
            record.found = []
            defer { record.found = nil }
            block()
            return record.found ?? []
        }
    #endif

    /// To be called before a caller's code is called. Checks that this thread holds no lock.
    @inlinable
    public static func assertNone(_ place: StaticString = #fileID) {
        #if DEBUG
            assertNoneIsHeld(place)
        #endif
    }

    #if DEBUG
        @usableFromInline
        static func assertNoneIsHeld(_ place: StaticString) {
            let record = record
            guard let other = record.held.last else { return }
            record.report("\(place) calls out while the lock of \(other.place) is held.")
        }
    #endif
}
