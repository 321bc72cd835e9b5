public import Foundation

/// A value and the lock that guards it, in one piece of memory.
///
/// Copies share the value. It does not use `Synchronization.Mutex`, whose waiting the thread
/// sanitizer does not see: it would report races that do not exist (Documentation/Decisions/0006).
///
/// It is public, in a module that is no product: of the package's own functions the compiler makes no code for
/// another module's types, and the general code takes several times as long.
///
/// ## Concurrency
/// Call from: any thread. Lock: its own, not recursive. Calls out on: the caller's closure, under
/// the lock.
public struct Locked<Value>: @unchecked Sendable {
    // @unchecked because the value is only touched under the lock.
    @usableFromInline let memory: ManagedBuffer<Value, pthread_mutex_t>

    @usableFromInline final class Memory: ManagedBuffer<Value, pthread_mutex_t> {
        deinit {
            _ = withUnsafeMutablePointerToElements { pthread_mutex_destroy($0) }
        }
    }

    #if DEBUG
        /// The file in which it was made; nil if `HeldLocks` does not check it.
        @usableFromInline let place: StaticString?

        /// A lock around a value.
        ///
        /// - Parameter isInner: whether it may be taken under another one; it is then the innermost.
        public init(_ value: Value, isInner: Bool = false, _ place: StaticString = #fileID) {
            memory = Self.memory(value)
            self.place = !isInner && HeldLocks.counts(place) ? place : nil
        }
    #else
        /// A lock around a value.
        ///
        /// - Parameter isInner: whether it may be taken under another one; it is then the innermost.
        @inlinable public init(_ value: Value, isInner: Bool = false) {
            memory = Self.memory(value)
        }
    #endif

    @inlinable
    static func memory(_ value: Value) -> ManagedBuffer<Value, pthread_mutex_t> {
        // Without a size it would be at the address of the object's class, which is read without the lock: the
        // thread sanitizer would report that.
        assert(MemoryLayout<Value>.size > 0, "Use an NSLock where there is no value to guard.")
        return Memory.create(minimumCapacity: 1) { memory in
            _ = memory.withUnsafeMutablePointerToElements { pthread_mutex_init($0, nil) }
            return value
        }
    }

    /// Calls a closure under the lock.
    @inlinable
    public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try memory.withUnsafeMutablePointers { value, lock in
            #if DEBUG
                if let place { HeldLocks.take(lock, place) }
                defer { if place != nil { HeldLocks.giveBack(lock) } }
            #endif
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        }
    }
}

extension Locked {
    /// Replaces a part of the value. The old part is released after the lock: its `deinit` may be a caller's code.
    @inlinable
    public func replace<Part>(_ part: WritableKeyPath<Value, Part>, with new: Part) {
        var other = new
        withLock { swap(&$0[keyPath: part], &other) }
    }
}
