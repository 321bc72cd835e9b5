/// A C object that is no longer changed, freed when the last reference to this object is released.
///
/// ## Concurrency
/// Call from: any thread. Lock: none here. Calls out on: the thread of the last reference, to free it.
package final class OwnedPointer: @unchecked Sendable {
    // @unchecked because the object is not changed once it is shared, except under its library's
    // lock.
    package let pointer: OpaquePointer
    private let free: @Sendable (OpaquePointer) -> Void

    /// Takes ownership of the caller's reference.
    package init(_ pointer: OpaquePointer, free: @escaping @Sendable (OpaquePointer) -> Void) {
        self.pointer = pointer
        self.free = free
    }

    deinit {
        free(pointer)
    }
}
