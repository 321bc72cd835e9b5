import CSimdJSON
import Foundation
import FoundationNetworking
import Locking

/// The body of a response as JSON.
enum JSONBody {
    /// The body in UTF-8, for the parser; nil if it is no text in its encoding. UTF-8 and ASCII are not converted.
    static func utf8(_ data: Data, _ encoding: String.Encoding) -> Data? {
        if encoding == .utf8 || encoding == .ascii { return data }
        return TextEncoding.string(data, encoding).map { Data($0.utf8) }
    }

    /// Like `utf8(_:_:)`, in the encoding that the response names, or in another one if it names none.
    ///
    /// - Throws: `ResponseSerializationError.Reason.undecodableText`.
    static func utf8(
        _ data: Data, of response: URLResponse?, or encoding: String.Encoding
    ) throws -> (bytes: Data, encoding: String.Encoding) {
        let declared = response?.textEncodingName.flatMap(TextEncoding.encoding(named:))
        let encoding = declared ?? encoding
        if let bytes = utf8(data, encoding) { return (bytes, encoding) }
        throw ResponseSerializationError(.undecodableText(encoding), response: response, data: data)
    }

    /// The JSON value of the bytes in Foundation's types.
    ///
    /// - Parameters:
    ///   - entries: whether nulls in objects are removed.
    ///   - elements: whether nulls in arrays are removed.
    static func object(
        _ bytes: Data, _ options: JSONSerialization.ReadingOptions,
        removingNullEntries entries: Bool = false, elements: Bool = false
    ) throws -> Any {
        let isMutable = options.contains(.mutableContainers)
        let options = options.subtracting(.mutableContainers)
        let read = options.contains(.mutableLeaves) ? nil : JSONReaders.shared.object(bytes)
        let object = DecodedContainers.removingNulls(
            try read ?? JSONSerialization.jsonObject(with: bytes, options: options),
            entries: entries, elements: elements)
        return isMutable ? try DecodedContainers.checkedMutable(object) : object
    }

    /// Whether the bytes are UTF-8.
    static func isText(_ bytes: Data) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }
}

/// A pool of simdjson parsers, which read documents in place of Foundation.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list, not while a document is read. Calls out on: nothing.
final class JSONReaders: Sendable {
    static let shared = JSONReaders()

    /// A parser's buffers have about 14 times the size of its documents, so only a few small ones are kept.
    private static let mostKept = 4
    private static let largestKept = 256 << 10

    private let free = Locked<[OpaquePointer]>([])

    /// simdjson destroys its state at exit. The gate must be closed before, so it is registered after the first
    /// document has made that state.
    private static let isPrepared: Void = {
        if let reader = csimdjson_new_reader() {
            var document = csimdjson_document()
            _ = csimdjson_read(reader, Array("[]".utf8), 2, &document)
            csimdjson_free_reader(reader)
        }
        ExitGate.closeAtExit()
    }()

    /// The objects that `JSONSerialization` makes of the bytes without options, of the same types.
    ///
    /// Nil for bytes that are no JSON, no array and no object, or that Foundation reads differently, and while the
    /// process exits. Foundation then reads them, or throws the error.
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
        defer { putBack(reader) }
        var document = csimdjson_document()
        let isRead = bytes.withUnsafeBytes { bytes in
            csimdjson_read(
                reader, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &document)
        }
        return isRead ? try? JSONTree.object(document) : nil
    }

    private func putBack(_ reader: OpaquePointer) {
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
