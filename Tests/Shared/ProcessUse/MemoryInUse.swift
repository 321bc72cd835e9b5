import CoreFoundation
import Foundation

/// The bytes that malloc has given out and not got back: exact where the memory of the process, in
/// pages, is not.
package enum MemoryInUse {
    /// Not under a sanitizer, which has a malloc of its own; nor where nobody can be asked.
    package static let isKnown =
        dlsym(nil, "__tsan_init") == nil && dlsym(nil, "__asan_init") == nil && now != nil

    package static var now: Int? {
        typealias Info = @convention(c) (Int32, OpaquePointer?) -> Int32
        guard let symbol = dlsym(nil, "malloc_info") else { return nil }
        var start: UnsafeMutablePointer<CChar>?
        var count = 0
        guard let file = open_memstream(&start, &count) else { return nil }
        _ = unsafeBitCast(symbol, to: Info.self)(0, OpaquePointer(file))
        fclose(file)
        defer { free(start) }
        guard let start else { return nil }
        return bytes(in: String(cString: start))
    }

    /// What the system gave, without what is free; the totals of all arenas stand at the end.
    private static func bytes(in report: String) -> Int? {
        let totals = report.components(separatedBy: "</heap>").last ?? ""
        func size(_ element: String) -> Int? {
            guard let tag = totals.components(separatedBy: "<" + element).dropFirst().first,
                let size = tag.components(separatedBy: "size=\"").dropFirst().first
            else { return nil }
            return Int(size.prefix { $0 != "\"" })
        }
        guard let system = size("system type=\"current\""), let fast = size("total type=\"fast\""),
            let rest = size("total type=\"rest\""), let mapped = size("total type=\"mmap\"")
        else { return nil }
        return system - fast - rest + mapped
    }
}

/// What a repeated step costs at the beginning and at the end.
package struct Growth {
    /// Bytes in use behind the first tenth, and behind all.
    package private(set) var early = 0, late = 0
    /// The thread's processor time of the second tenth and of the last, in nanoseconds.
    package private(set) var firstTime = 0, lastTime = 0

    /// How many times: `GROWTH_STEPS` in the environment, which is the long form, or as given.
    package static func count(_ usual: Int) -> Int {
        ProcessInfo.processInfo.environment["GROWTH_STEPS"].flatMap { Int($0) } ?? usual
    }

    package init(_ count: Int, _ step: (Int) throws -> Void) rethrows {
        let tenth = max(1, count / 10)
        var marks: [Int] = []
        for number in 0..<10 * tenth {
            if number % tenth == 0 { marks.append(ProcessorTime.ofThisThread) }
            if number == tenth { early = MemoryInUse.now ?? 0 }
            try step(number)
        }
        let end = ProcessorTime.ofThisThread
        late = MemoryInUse.now ?? 0
        (firstTime, lastTime) = (marks[2] - marks[1], end - marks[9])
    }

    /// Bytes that came after the first tenth.
    package var bytes: Int { MemoryInUse.isKnown ? late - early : 0 }

    /// Whether a step at the end takes about as long as one at the beginning; the factor is for a
    /// machine that is busy with something else.
    package var isTimeFlat: Bool { lastTime < 4 * firstTime + 20_000_000 }
}
