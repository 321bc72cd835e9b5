import CEvents
import Foundation

extension EventRecorder {
    /// Names the current thread in recordings, by its first characters, 15 bytes at most. Foundation's
    /// `Thread.name` has no effect in a thread's first moments, in which it still has the name of the
    /// thread that started it.
    package static func nameThread(_ name: String) {
        // The kernel refuses a longer name.
        var short = name.prefix(15)
        while short.utf8.count > 15 { short.removeLast() }
        cevents_set_name(String(short))
    }
}

enum ThreadName {
    /// The kernel's name of a living thread of this process.
    static func ofKernel(_ thread: UInt32) -> String? {
        guard let bytes = FileManager.default.contents(atPath: "/proc/self/task/\(thread)/comm"),
            !bytes.isEmpty
        else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// The kernel's name of the current thread, without reading a file.
    static func ofCurrent(_ thread: UInt32) -> String {
        let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { bytes in
            bytes.initialize(repeating: 0)
            cevents_get_name(bytes.baseAddress, bytes.count)
            return bytes.baseAddress.map { String(cString: $0) }
        }
        return description(name, of: thread)
    }

    /// "main" for the first thread, "thread 7" for one without a name.
    static func description(_ name: String?, of thread: UInt32) -> String {
        let main = UInt32(getpid())
        if thread == main { return "main" }
        guard let name, !name.isEmpty, name != ofKernel(main), !isOfDispatch(name) else {
            return "thread \(thread)"
        }
        return name
    }

    /// Dispatch names its worker threads after the end of a queue's label: "oot.default-qos".
    private static func isOfDispatch(_ name: String) -> Bool {
        name.hasSuffix("-qos") || name.hasSuffix("-qos.overcommit")
    }
}
