import CLinux
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import Scheduling

/// Reads what a `file:` or `data:` URL names, or the file of a stored response, a piece at a time.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around what is open, taken on its queue alone. Calls out on: a thread for files,
/// which a disk may block, or for a `data:` URL one for serializers.
final class LocalReader: Sendable {
    /// What the response says.
    struct Head: Sendable {
        var mimeType: String
        var length: Int64
        var charset: String?
    }

    private static let piece = 1 << 16

    private let url: URL
    /// The owner of the descriptor; nil where that is this reader's own.
    private let file: StoredFile?
    private let isData: Bool
    let queue: WorkerQueue

    private struct State {
        var descriptor: Int32 = -1
        /// Bytes that were announced and not read; nil where no length was announced.
        var rest: Int64? = 0
        /// What was read already: all of a `data:` URL, or the first piece of a file.
        var ready: Data?
        /// The SHA-256 of a stored body, and that of the bytes so far; nil where any bytes will do.
        var digest: [UInt8]?
        var hash: SHA256?
    }

    private let state = Locked(State())

    init(_ url: URL) {
        (self.url, file) = (url, nil)
        isData = url.scheme?.lowercased() == "data"
        queue = WorkerQueue(isData ? .processing : .files)
    }

    /// Reads a stored response's file, which is open and at the body.
    init(_ file: StoredFile, size: Int, digest: [UInt8], of url: URL) {
        (self.url, self.file, isData) = (url, file, false)
        queue = WorkerQueue(.files)
        state.withLock { state in
            (state.descriptor, state.rest) = (file.descriptor, Int64(size))
            (state.digest, state.hash) = (digest, try? SHA256())
        }
    }

    deinit {
        guard file == nil else { return }
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { close(descriptor) }
    }

    static func isLocal(_ url: URL?) -> Bool {
        guard let scheme = url?.scheme?.lowercased() else { return false }
        return scheme == "file" || scheme == "data"
    }

    func open(_ done: @escaping @Sendable (Result<Head, URLError>) -> Void) {
        queue.perform { [self] in
            done(Result { () throws(URLError) in try isData ? openData() : openFile() })
        }
    }

    /// Reads the next piece; an empty one is the end.
    func next(_ done: @escaping @Sendable (Result<Data, URLError>) -> Void) {
        queue.perform { [self] in
            done(Result { () throws(URLError) in try read() })
        }
    }

    /// No caller waits for the bytes any more.
    func leave() {
        queue.leave()
    }

    // MARK: On `queue`

    private func openData() throws(URLError) -> Head {
        guard let address = DataAddress(url) else {
            throw URLError(.badURL, url: url, text: "The data: URL does not follow RFC 2397.")
        }
        state.withLock { $0.ready = address.data }
        return Head(
            mimeType: address.mimeType, length: Int64(address.data.count), charset: address.charset)
    }

    private func openFile() throws(URLError) -> Head {
        let host = url.host()?.lowercased() ?? ""
        let path = url.path
        guard host.isEmpty || host == "localhost", path.hasPrefix("/"), !path.utf8.contains(0),
            !url.absoluteString.contains("%00")
        else {
            throw URLError(
                .badURL, url: url, text: "The file: URL must name an absolute path of this machine."
            )
        }
        // Opening a named pipe would block.
        let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw failure(errno) }
        // From here on `deinit` closes it.
        state.withLock { $0.descriptor = descriptor }
        let status = cfile_status_of(descriptor)
        guard status.failure == 0 else { throw failure(status.failure) }
        guard status.is_directory == 0 else {
            throw URLError(.fileIsDirectory, url: url, text: "\(path) is a folder.")
        }
        guard status.is_regular != 0 else {
            throw URLError(.cannotOpenFile, url: url, text: "\(path) is no regular file.")
        }
        let name = URL(fileURLWithPath: path).pathExtension
        let length = try announced(status.size, of: descriptor)
        return Head(
            mimeType: MIMETypes.system.type(ofExtension: name), length: length, charset: nil)
    }

    /// The length to announce; -1 where it is unknown. Files of `/proc` have the size 0 whatever they hold, so the
    /// first piece of such a file is read.
    private func announced(_ size: Int64, of descriptor: Int32) throws(URLError) -> Int64 {
        let first = try size == 0 ? read(Self.piece, of: descriptor) : Data()
        state.withLock { state in
            state.rest = first.isEmpty ? size : nil
            if !first.isEmpty { state.ready = first }
        }
        return first.isEmpty ? size : -1
    }

    private func read() throws(URLError) -> Data {
        let (descriptor, rest, ready) = state.withLock { state in
            (state.descriptor, state.rest, state.ready.take())
        }
        if let ready { return ready }
        // No more than was announced, also where the file has grown.
        let wanted = Int(min(rest ?? .max, Int64(Self.piece)))
        guard wanted > 0 else { return Data() }
        let bytes = try read(wanted, of: descriptor)
        guard !bytes.isEmpty || rest == nil else {
            throw URLError(
                .resourceUnavailable, url: url, text: "The file became shorter while it was read.")
        }
        let isAsStored = state.withLock { state in
            state.rest? -= Int64(bytes.count)
            guard let digest = state.digest else { return true }
            bytes.withUnsafeBytes { state.hash?.update($0) }
            return state.rest != 0 || (try? state.hash?.bytes()) == digest
        }
        guard isAsStored else {
            throw URLError(
                .resourceUnavailable, url: url,
                text: "The stored response was changed while it was read.")
        }
        return bytes
    }

    private func read(_ wanted: Int, of descriptor: Int32) throws(URLError) -> Data {
        var bytes = Data(count: wanted)
        let count = bytes.withUnsafeMutableBytes { buffer in
            var count: Int
            repeat {
                count = Foundation.read(descriptor, buffer.baseAddress, wanted)
            } while count < 0 && errno == EINTR
            return count
        }
        guard count >= 0 else { throw failure(errno) }
        return bytes.prefix(count)
    }

    private func failure(_ number: Int32) -> URLError {
        let reason = NSError(domain: NSPOSIXErrorDomain, code: Int(number))
        if number == EMFILE { return DescriptorRoom.error(for: url, underlying: reason) }
        let code: URLError.Code =
            switch number {
            case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP: .fileDoesNotExist
            case EACCES, EPERM: .noPermissionsToReadFile
            case EISDIR: .fileIsDirectory
            default: .cannotOpenFile
            }
        return URLError(
            code, url: url, text: "\(url.path): \(String(cString: strerror(number))).",
            underlying: reason)
    }
}

/// What a `data:` URL holds (RFC 2397).
struct DataAddress {
    /// `text/plain` where the URL names none.
    let mimeType: String
    /// The parameter `charset`; `US-ASCII` where there is neither a type nor a charset.
    let charset: String?
    let data: Data

    /// - Returns: nil without a comma, for an escape without two digits, and for broken Base64.
    init?(_ url: URL) {
        let text = url.absoluteString
        guard text.lowercased().hasPrefix("data:"), let comma = text.firstIndex(of: ",") else {
            return nil
        }
        // The fragment is not part of the data.
        let body = text[text.index(after: comma)...].prefix { $0 != "#" }
        var words = text[text.index(text.startIndex, offsetBy: 5)..<comma]
            .split(separator: ";", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        guard !words.joined().contains("#") else { return nil }
        let isBase64 = words.last?.lowercased() == "base64"
        if isBase64 { words.removeLast() }
        let type = words.first ?? ""
        var charset = words.dropFirst().first { $0.lowercased().hasPrefix("charset=") }.map {
            String($0.dropFirst(8)).trimmingCharacters(in: ["\""])
        }
        if type.isEmpty, charset == nil { charset = "US-ASCII" }
        guard let mimeType = Self.mimeType(type), let bytes = URLEscape.decoded(body.utf8)
        else { return nil }
        (self.mimeType, self.charset) = (mimeType, charset?.removingPercentEncoding)
        guard isBase64 else {
            data = Data(bytes)
            return
        }
        guard let decoded = Self.decoded(bytes) else { return nil }
        data = decoded
    }

    private static func mimeType(_ text: String) -> String? {
        if text.isEmpty { return "text/plain" }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isToken) })
        else { return nil }
        return text.lowercased()
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"()<>@,;:\\\"/[]?=%".utf8.contains(byte)
    }

    /// Base64 with or without padding and white space.
    private static func decoded(_ bytes: [UInt8]) -> Data? {
        var text = bytes.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if !text.contains(UInt8(ascii: "=")) {
            text += Array(repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
        }
        return Data(base64Encoded: Data(text))
    }
}
