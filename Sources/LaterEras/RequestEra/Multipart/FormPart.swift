import CurlConnection
import Foundation
import OperationNetworking

struct FormPart {
    enum Body {
        case data(Data)
        case file(FilePart)
        case stream(FormStream)
    }

    typealias Sink = (UnsafeRawBufferPointer) throws -> Void

    private static let blockSize = 65_536

    /// The field lines and the empty line after them.
    let headers: Data
    /// In bytes; of a stream what its owner says.
    let length: UInt64
    let body: Body

    /// Gives the body's bytes to the sink.
    func give(to sink: Sink) throws {
        let read: (UnsafeMutableRawBufferPointer) throws -> Int
        switch body {
        case .data(let data): return try Self.give(data, to: sink)
        case .file(let file):
            let source = try Self.reading { try FileSource(file) }
            read = { block in
                guard case .bytes(let count) = try source.read(into: block, mayWait: true) else {
                    return 0
                }
                return count
            }
        case .stream(let stream): read = stream.read
        }
        try withUnsafeTemporaryAllocation(byteCount: Self.blockSize, alignment: 1) { block in
            while case let count = try Self.reading({ try read(block) }), count > 0 {
                try sink(UnsafeRawBufferPointer(rebasing: block[..<count]))
            }
        }
    }

    static func give(_ data: Data, to sink: Sink) throws {
        try data.withUnsafeBytes { try sink($0) }
    }

    /// Names a failure to read as the original does.
    private static func reading<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw AFError.multipartEncodingFailed(reason: .inputStreamReadFailed(error: error))
        }
    }

    // MARK: - Files

    /// A regular file at a URL; the checks come in the original's order.
    static func file(at url: URL) throws(AFError) -> FilePart {
        guard url.isFileURL else {
            throw AFError.multipartEncodingFailed(reason: .bodyPartURLInvalid(url: url))
        }
        let isReachable: Bool
        do {
            isReachable = try url.checkResourceIsReachable()
        } catch {
            throw AFError.multipartEncodingFailed(
                reason: .bodyPartFileNotReachableWithError(atURL: url, error: error))
        }
        guard isReachable else {
            throw AFError.multipartEncodingFailed(reason: .bodyPartFileNotReachable(at: url))
        }
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder),
            isFolder.boolValue
        {
            throw AFError.multipartEncodingFailed(reason: .bodyPartFileIsDirectory(at: url))
        }
        do {
            return try FilePart(url)
        } catch {
            // A pipe or a device has no size.
            throw AFError.multipartEncodingFailed(
                reason: error.reason == .notRegularFile
                    ? .bodyPartFileSizeNotAvailable(at: url)
                    : .bodyPartFileSizeQueryFailedWithError(forURL: url, error: error))
        }
    }

    // MARK: - Boundaries

    static func randomBoundary() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return "alamofire.boundary." + String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// A boundary is set by the caller, and goes into header and body.
    static func boundary(_ text: String) throws -> MultipartBoundary {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw MultipartError(
                .refusedHeader,
                "A form's boundary is empty or has a control character: \(text.debugDescription)")
        }
        return MultipartBoundary(text: text)
    }
}

/// A part's stream, which can be read once.
///
/// ## Concurrency
/// Call from: one thread. Lock: none. Calls out: the stream.
final class FormStream {
    private let stream: InputStream
    private var isOpen = false
    private var isSpent = false

    init(_ stream: InputStream) {
        self.stream = stream
    }

    /// The number of bytes read, 0 at the end.
    func read(into block: UnsafeMutableRawBufferPointer) throws -> Int {
        if isSpent {
            throw MultipartError(
                .streamSpent, "The form has a part from a stream, which can be encoded only once.")
        }
        if !isOpen {
            isOpen = true
            if stream.streamStatus == .notOpen { stream.openHere() }
        }
        guard let start = block.bindMemory(to: UInt8.self).baseAddress else { return 0 }
        let count = stream.read(start, maxLength: block.count)
        if count > 0 { return count }
        isSpent = true
        // Foundation stops the process when a stream is asked for an error that it does not have.
        let error = stream.streamStatus == .error ? stream.streamError : nil
        stream.close()
        if count == 0 { return 0 }
        throw error ?? MultipartError(.streamFailed, "A part's stream failed.")
    }
}
