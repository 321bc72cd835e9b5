/// A C object that nobody changes any more, freed with the last reference to this.
///
/// ## Concurrency
/// Call from: any thread. Lock: none here. Calls out on: the thread of the last reference, to free it.
package final class OwnedPointer: @unchecked Sendable {
    // @unchecked because the object is not changed once it is shared, but for what its library locks.
    package let pointer: OpaquePointer
    private let free: @Sendable (OpaquePointer) -> Void

    /// Takes over the caller's reference.
    package init(_ pointer: OpaquePointer, free: @escaping @Sendable (OpaquePointer) -> Void) {
        self.pointer = pointer
        self.free = free
    }

    deinit {
        free(pointer)
    }
}
