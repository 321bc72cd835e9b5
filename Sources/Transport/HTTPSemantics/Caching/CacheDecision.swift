import CLinux
package import Foundation
import FoundationNetworking

package struct CacheDecision: Sendable, CustomStringConvertible {
    package enum Outcome: Sendable {
        /// The request is sent with these header fields in addition.
        case load(adding: HeaderFields)
        /// Nothing is sent; this is the response.
        case serve(StoredResponse)
        /// The request is sent with these header fields in addition. Pass a 304 to
        /// `ResponseCache.freshen`.
        case revalidate(StoredResponse, adding: HeaderFields)
        case fail(URLError)
    }

    package let outcome: Outcome
    package let reason: CacheReason

    package var description: String {
        let word =
            switch outcome {
            case .load: "miss"
            case .serve: "hit"
            case .revalidate: "revalidate"
            case .fail: "fail"
            }
        return "\(word): \(reason)"
    }
}

package struct StoredResponse: Sendable {
    /// The body without its Content-Encoding; empty for a HEAD.
    package let content: StoredBody
    package let reason: CacheReason

    package let id: UInt64
    let head: StoredHead
    /// When it was served without asking the server; nil after a revalidation.
    private let servedAt: Date?

    init(
        id: UInt64, head: StoredHead, _ content: StoredBody, reason: CacheReason, servedAt: Date?
    ) {
        (self.id, self.head, self.content, self.reason) = (id, head, content, reason)
        self.servedAt = servedAt
    }

    /// Empty where the body is in a file.
    package var body: Data { content.inMemory ?? Data() }

    package var status: Int { head.status }

    /// Whether a Content-Encoding was decoded, so that Content-Length is not the length of the
    /// body.
    package var isDecoded: Bool { head.isDecoded }

    /// In the order received; with Age when the response was served without asking the server.
    package var fields: HeaderFields {
        var fields = head.fields
        if let servedAt {
            fields.set("Age", to: String(Int(min(head.age(at: servedAt), 2_147_483_648))))
        }
        return fields
    }
}

/// The body of a stored response.
package enum StoredBody: Sendable {
    case data(Data)
    /// A long one. Its file was read through once, and has this SHA-256.
    case file(StoredFile, size: Int, digest: [UInt8])

    package var count: Int {
        switch self {
        case .data(let data): data.count
        case .file(_, let size, _): size
        }
    }

    /// Nil where it is in a file.
    var inMemory: Data? {
        if case .data(let data) = self { data } else { nil }
    }
}

/// The open file of a stored response; its next byte is the body's first. It may be deleted
/// meanwhile.
///
/// ## Concurrency
/// Call from: one thread at a time. Lock: none. Calls out: none.
package final class StoredFile: Sendable {
    package let descriptor: Int32
    let size: Int
    /// Seconds and nanoseconds of the last use.
    let used: (Int64, Int64)

    /// Nil where it cannot be opened, or is no regular file.
    init?(_ path: String) {
        descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        // Asked about none, the system would give another reason in `errno`.
        let status = descriptor >= 0 ? cfile_status_of(descriptor) : cfile_status()
        size = Int(status.size)
        used = (status.modified_seconds, status.modified_nanoseconds)
        guard descriptor >= 0, status.failure == 0, status.is_regular != 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Exactly as many bytes as asked for, or nil.
    func bytes(_ count: Int) -> Data? {
        var data = Data(count: count)
        var done = 0
        while done < count {
            let step = data.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress?.advanced(by: done), count - done)
            }
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { return nil }
            done += step
        }
        return data
    }
}

/// What was read of a stored body, before its response was asked for.
package struct ReadBody: Sendable {
    let id: UInt64
    /// Nil when the file is gone or damaged.
    let body: StoredBody?
}

/// Where the body of a stored response may be read from.
package enum StoredBodies {
    /// Also from its file: the caller may block on a disk.
    case anywhere
    /// Only from memory, or what was read before.
    case memory(or: ReadBody?)
}
