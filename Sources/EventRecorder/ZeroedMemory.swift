import Foundation

/// Memory from the system: zeros, which take room when they are first written to.
///
/// In large pages where the system has them: the first touch of a page costs as much as a dozen
/// events.
enum ZeroedMemory {
    private static let largePage = 1 << 21

    static func map(_ count: Int) -> UnsafeMutableRawPointer {
        // The whole of it lies on large pages only where it begins on one.
        let room = count + largePage
        guard
            let start = mmap(
                nil, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | Int32(MAP_ANONYMOUS), -1, 0),
            start != MAP_FAILED
        else { preconditionFailure("No memory is left for a recording.") }
        let used = start.alignedUp(toMultipleOf: largePage)
        if used > start { munmap(start, start.distance(to: used)) }
        let end = used + count.roundedUp(toMultipleOf: largePage)
        let rest = end.distance(to: start + room)
        if rest > 0 { munmap(end, rest) }
        madvise(used, count, Int32(MADV_HUGEPAGE))
        return used
    }

    /// Takes the room now; the zeros stay.
    static func prepare(_ start: UnsafeMutableRawPointer, _ count: Int) {
        let page = 4096
        for offset in stride(from: 0, to: count, by: page) {
            // Read and written back by nobody else: the recorder is closed.
            let byte = start.load(fromByteOffset: offset, as: UInt8.self)
            start.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
        }
    }

    /// Gives the memory back and keeps its place: zeros again, for whoever looks meanwhile.
    static func empty(_ start: UnsafeMutableRawPointer, _ count: Int) {
        let there = mmap(
            start, count, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | Int32(MAP_ANONYMOUS) | MAP_FIXED, -1, 0)
        precondition(there == start, "A recording's memory cannot be emptied.")
        madvise(start, count, Int32(MADV_HUGEPAGE))
    }

    static func unmap(_ start: UnsafeMutableRawPointer, _ count: Int) {
        munmap(start, count.roundedUp(toMultipleOf: largePage))
    }
}

extension Int {
    fileprivate func roundedUp(toMultipleOf unit: Int) -> Int { (self + unit - 1) / unit * unit }
}
