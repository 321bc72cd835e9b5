import Foundation
import FoundationNetworking
public import HTTPSemantics

/// Why a download did not become a file; what the connection itself reports is a `URLError`.
public enum DownloadError: NumberedError, Hashable, Sendable {
    /// The status is that of neither a file nor a part.
    case status(Int)
    /// The response does not continue the part; why is in plain words. The part is kept.
    case refused(String)
    /// A range in a content coding cannot be appended.
    case encodedPart
    /// The body has another length than announced or expected, both in bytes.
    case wrongLength(expected: Int64, received: Int64)
    /// The bytes have another SHA-256 than expected; they were removed.
    case wrongHash(expected: String, received: String)
    /// At the destination is a file with other bytes, of `length`; it was left as it is.
    case otherFile(path: String, length: Int64, expectedLength: Int64)
    /// The system refused an action on a file, with its error number.
    case disk(action: String, path: String, code: Int32)
    /// The expected hash is not 64 hexadecimal digits, or the destination is no file URL.
    case unusable(String)
    /// The server's file is another one than that of the part; the next download starts over.
    case changed
    /// Where the part or its record goes is something that no download made; it was left as it is.
    case otherPart(path: String)
    /// It would have been tried again, and the budget of the policy is used up; what the last try failed
    /// with.
    indirect case retryBudgetUsed(DownloadError)
}

extension DownloadError {
    /// `OperationNetworking.DownloadError`.
    public static var errorDomain: String { "OperationNetworking.DownloadError" }

    package var details: [String: Any] {
        switch self {
        case .disk(_, let path, let code):
            [
                NSFilePathErrorKey: path,
                NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(code)),
            ]
        case .retryBudgetUsed(let error): [NSUnderlyingErrorKey: error as NSError]
        default: [:]
        }
    }

    /// The numbers never change.
    package var numbered: (number: Int, sentence: String) {
        let (number, sentence) = plain
        return (number, sentence.printable)
    }

    private var plain: (Int, String) {
        switch self {
        case .status(let code):
            (
                1,
                "The server answered \(code) (\(HTTPURLResponse.localizedString(forStatusCode: code)))."
            )
        case .refused(let reason): (2, "\(reason) The part is kept.")
        case .encodedPart:
            (
                3,
                "The server sent a part in a content coding, which cannot be joined to what is there."
            )
        case .wrongLength(let expected, let received):
            (4, "The file should have \(expected) bytes, but \(received) came.")
        case .wrongHash(let expected, let received):
            (
                5,
                "The file should have the SHA-256 \(expected), but has \(received). It was not kept."
            )
        case .otherFile(let path, let length, let expected):
            (
                6,
                "\(path) is there already, and it is another file: "
                    + (length == expected
                        ? "its \(length) bytes are not the server's."
                        : "it has \(length) bytes, the server's \(expected).")
                    + " It was left as it is."
            )
        case .disk(let action, let path, let code):
            (7, "Could not \(action) \(path): \(String(cString: strerror(code))).")
        case .unusable(let reason): (8, reason)
        case .changed: (9, "The server's file has changed while it was downloaded.")
        case .otherPart(let path):
            (10, "\(path) is there already, and no download made it. It was left as it is.")
        case .retryBudgetUsed(let error): (11, error.description + " " + BudgetUsed.sentence)
        }
    }
}

extension DownloadError: CustomStringConvertible {
    /// What happened and, where there is something, what can be done.
    public var description: String { numbered.sentence }
}

extension DownloadError {
    /// The failure of the system call that was just made.
    static func disk(_ action: String, _ path: String) -> DownloadError {
        .disk(action: action, path: path, code: errno)
    }
}
