import Foundation

/// Memory from the system: zeros, which take room when they are first written to.
enum ZeroedMemory {
    static func map(_ count: Int) -> UnsafeMutableRawPointer {
        guard
            let start = mmap(
                nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | Int32(MAP_ANONYMOUS), -1, 0),
            start != MAP_FAILED
        else { preconditionFailure("No memory is left for a recording.") }
        return start
    }

    /// Takes the room of whole pages now.
    ///
    /// All at once costs less than page by page when each is first written to.
    static func populate(_ start: UnsafeMutableRawPointer, _ count: Int) {
        #if os(Linux)
            // An older kernel does not know it, and clears the pages one by one.
            madvise(start, count, 23)  // MADV_POPULATE_WRITE
        #endif
    }

    /// Gives the memory back and keeps its place: zeros again, for whoever looks meanwhile.
    static func empty(_ start: UnsafeMutableRawPointer, _ count: Int) {
        madvise(start, count, Int32(MADV_DONTNEED))
    }

    static func unmap(_ start: UnsafeMutableRawPointer, _ count: Int) {
        munmap(start, count)
    }
}
