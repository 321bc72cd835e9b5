import Foundation

/// A flag that each thread has for itself, false at first.
package struct ThreadMark: Sendable {
    private let key: pthread_key_t

    package init() {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        self.key = key
    }

    /// The calling thread's.
    package var value: Bool { pthread_getspecific(key) != nil }

    /// Sets the calling thread's.
    ///
    /// - Returns: the value before.
    package func set(_ new: Bool) -> Bool {
        let old = value
        if new != old { pthread_setspecific(key, new ? UnsafeRawPointer(bitPattern: 1) : nil) }
        return old
    }
}
