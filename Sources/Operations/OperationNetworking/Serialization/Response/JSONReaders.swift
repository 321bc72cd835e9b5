import CSimdJSON
import Foundation
import Locking

/// The simdjson readers that are not in use. A document is read by one of them in place of
/// Foundation.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list, not while a document is read. Calls out on: nothing.
final class JSONReaders: Sendable {
    static let shared = JSONReaders()

    /// A reader's buffers are about 14 times the size of its documents, so few are kept, and no
    /// large ones.
    private static let mostKept = 4
    private static let largestKept = 256 << 10

    private let free = Locked<[OpaquePointer]>([])

    /// simdjson takes its parsers down when the process exits: the gate is told to close before, once the first
    /// document has had them made.
    private static let isPrepared: Void = {
        if let reader = csimdjson_new_reader() {
            var document = csimdjson_document()
            _ = csimdjson_read(reader, Array("[]".utf8), 2, &document)
            csimdjson_free_reader(reader)
        }
        ExitGate.closeAtExit()
    }()

    /// The objects that `JSONSerialization` makes of the bytes without options, down to each
    /// object's type.
    ///
    /// Nil when the bytes are no array and no object, no JSON, or JSON that the two parsers read
    /// differently, and while the process exits. Foundation then reads them, or says what is wrong.
    func object(_ bytes: Data) -> Any? {
        ExitGate.whileOpen {
            _ = Self.isPrepared
            return read(bytes)
        }.flatMap { $0 }
    }

    private func read(_ bytes: Data) -> Any? {
        guard let reader = free.withLock({ $0.popLast() }) ?? csimdjson_new_reader() else {
            return nil
        }
        defer { takeBack(reader) }
        var document = csimdjson_document()
        let isRead = bytes.withUnsafeBytes { bytes in
            csimdjson_read(
                reader, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &document)
        }
        return isRead ? try? JSONTree.object(document) : nil
    }

    private func takeBack(_ reader: OpaquePointer) {
        let isKept = free.withLock { free in
            guard free.count < Self.mostKept, csimdjson_room(reader) <= Self.largestKept
            else {
                return false
            }
            free.append(reader)
            return true
        }
        if !isKept { csimdjson_free_reader(reader) }
    }
}
