import Foundation
import FoundationNetworking
import HTTPSemantics

/// A download's temporary file, which a later transfer may continue.
///
/// ## Concurrency
/// Call from: the delegate queue; `init` and the first `begin` from any thread. Lock: none. Calls out
/// on: nothing.
final class DownloadFile: @unchecked Sendable {
    // @unchecked because it is used on the delegate queue alone once its task is made.

    /// In the temporary directory.
    let url: URL
    /// Where resume data names it.
    private var origin: URL?
    /// The size of the part that is kept.
    private(set) var size: Int64 = 0
    private var handle: FileHandle?
    private var request: URLRequest?
    /// The content that can be continued.
    private var partial: PartialContent?
    /// The content that the running transfer continues.
    private var asked: PartialContent?
    private var answer = PartialContent.Answer.startOver(isSameEntity: false)
    /// The size of the whole file that the answer continues, where it is known.
    private var total: Int64?

    init() {
        url = Self.directory.appendingPathComponent("\(UUID().uuidString).download")
    }

    /// A file that resume data named.
    ///
    /// - Parameter origin: where it was before it was claimed.
    init(_ url: URL, from origin: URL, _ partial: PartialContent) {
        self.url = url
        self.origin = origin
        self.partial = partial
        size = partial.offset
    }

    static var directory: URL { FileManager.default.temporaryDirectory }

    // MARK: - Receiving

    /// The request for the missing bytes; the request itself where nothing can be continued.
    func begin(_ request: URLRequest) -> URLRequest {
        self.request = request
        partial?.offset = size
        asked = size > 0 ? partial : nil
        guard var next = asked?.request(continuing: request) else { return request }
        // A part with a content coding cannot be continued byte by byte.
        next.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        return next
    }

    /// - Returns: the size of the part that the response continues.
    /// - Throws: `SessionError.cannotContinueDownload`; the file system's error.
    func begin(_ response: URLResponse) throws -> Int64 {
        let http = response as? HTTPURLResponse
        // A second try with credentials may follow and needs the part.
        let isRefusedForNow = asked != nil && (http?.statusCode == 401 || http?.statusCode == 407)
        answer =
            isRefusedForNow
            ? .refuse("The server wants credentials.")
            : http.flatMap { asked?.judge($0) } ?? .startOver(isSameEntity: false)
        total = http.flatMap { asked?.whole(after: $0) }
        switch answer {
        case .append, .complete:
            break
        case .refuse(let why):
            if !isRefusedForNow { throw SessionError.cannotContinueDownload(why) }
            return 0
        case .startOver:
            size = 0
            partial =
                request.flatMap(Self.isWhole) == true
                ? PartialContent(of: response, stored: 0) : nil
        }
        try open()
        return size
    }

    /// - Returns: how many of the bytes belong to the body.
    func append(_ data: Data) throws -> Int64 {
        switch answer {
        case .append, .startOver:
            try handle?.write(contentsOf: data)
            size += Int64(data.count)
            return Int64(data.count)
        case .complete, .refuse:
            return 0
        }
    }

    private func open() throws {
        if handle == nil {
            // Foundation would make a file that all may read. No link is followed, since all can write to the folder.
            let descriptor = Foundation.open(
                url.path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                throw CocoaError(
                    .fileWriteUnknown,
                    userInfo: [
                        NSFilePathErrorKey: url.path,
                        NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(errno)),
                    ])
            }
            handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        }
        try handle?.truncate(atOffset: UInt64(size))
        try handle?.seek(toOffset: UInt64(size))
    }

    private static func isWhole(_ request: URLRequest) -> Bool {
        request.httpMethod == "GET" && request.value(forHTTPHeaderField: "Range") == nil
    }

    // MARK: - Ending

    /// The reason why a complete response is not the whole file, or nil.
    func shortfall() -> (any Error)? {
        switch answer {
        case .refuse(let why):
            return SessionError.cannotContinueDownload(why)
        case .append:
            guard let total, total != size else { return nil }
            return URLError(
                .networkConnectionLost,
                userInfo: [
                    NSLocalizedDescriptionKey: "The server sent \(size) of \(total) bytes."
                ])
        case .complete, .startOver:
            return nil
        }
    }

    func close() throws {
        try handle?.close()
        handle = nil
    }

    func remove() {
        try? handle?.close()
        handle = nil
        try? FileManager.default.removeItem(at: url)
    }

    /// Puts the part back for another task of the same resume data, where this one could not be made.
    func unclaim() {
        guard let origin, rename(url.path, origin.path) == 0 else { return remove() }
    }

    /// Ends a download that is not whole.
    ///
    /// - Parameter isWanted: whether the part is kept for another task, where it can be continued.
    /// - Returns: the resume data for that task; nil where the file was removed.
    func endEarly(keepingPart isWanted: Bool) -> Data? {
        guard isWanted, let data = resumeData() else {
            remove()
            return nil
        }
        return data
    }

    private func resumeData() -> Data? {
        guard let request, var partial, size > 0 else { return nil }
        try? close()
        partial.offset = size
        return ResumeData(request, file: url, partial).encoded()
    }
}
