import Foundation

/// Which locks of OperationNetworking a thread holds. A thread that holds one takes no other one, so no two threads wait
/// for each other; and it holds none where a caller's code is called. Debug builds stop where it is otherwise; release
/// builds have nothing of this.
///
/// ## Concurrency
/// Call from: any thread; each sees its own. Lock: none.
public enum HeldLocks {
    #if DEBUG
        /// Of one thread.
        private final class Record {
            var held: [(lock: UnsafeMutableRawPointer, place: StaticString)] = []
            /// Where a test looks for what is wrong; nil stops the process.
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

        /// `HELD_LOCKS=report` writes what is wrong, and goes on.
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

        /// Whether a lock that is made in a file is one of these.
        public static func counts(_ file: StaticString) -> Bool {
            file.withUTF8Buffer { $0.starts(with: "OperationNetworking/".utf8) }
        }

        /// A lock is taken, perhaps again by its holder.
        public static func take(_ lock: UnsafeMutableRawPointer, _ place: StaticString) {
            let record = record
            if let other = record.held.last, other.lock != lock {
                record.report("The lock of \(place) is taken while that of \(other.place) is held.")
            }
            record.held.append((lock, place))
        }

        /// A lock is given back, by who took it last.
        public static func giveBack(_ lock: UnsafeMutableRawPointer) {
            record.held.removeLast()
        }

        /// What is wrong in a block on this thread, in place of stopping the process.
        package static func faults(in block: () -> Void) -> [String] {
            let record = record
            record.found = []
            defer { record.found = nil }
            block()
            return record.found ?? []
        }
    #endif

    /// A caller's code is about to be called.
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
