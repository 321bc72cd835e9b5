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

    /// A lock around a value.
    @inlinable public init(_ value: Value) {
        memory = Memory.create(minimumCapacity: 1) { memory in
            _ = memory.withUnsafeMutablePointerToElements { pthread_mutex_init($0, nil) }
            return value
        }
    }

    /// Calls a closure under the lock.
    @inlinable
    public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try memory.withUnsafeMutablePointers { value, lock in
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        }
    }
}
