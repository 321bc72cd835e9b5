import Foundation
import FoundationNetworking
public import HTTPSemantics

/// Why a download failed; an error of the connection is a `URLError`. The numbers never change.
public enum DownloadError: NumberedError, Hashable, Sendable {
    /// 1: the status is none with which a server sends a file or a range.
    case status(Int)
    /// 2: the response does not continue the part, for the reason in the text. The part is kept.
    case refused(String)
    /// 3: the range has another content coding than the part.
    case encodedPart
    /// 4: the file has another length in bytes than the server announced or than was expected.
    case wrongLength(expected: Int64, received: Int64)
    /// 5: the file has another hash than expected, and was removed.
    case wrongHash(expected: String, received: String)
    /// 6: there is another file, of `length` bytes, at the destination; it was not changed.
    case otherFile(path: String, length: Int64, expectedLength: Int64)
    /// 7: the system refused an action on a file, with this `errno`.
    case disk(action: String, path: String, code: Int32)
    /// 8: a setting cannot be used, such as an expected hash that is no hash.
    case unusable(String)
    /// 9: the file on the server has changed; the next download starts over.
    case changed
    /// 10: the path of the part or of its record names a file that no download made; it was not changed.
    case otherPart(path: String)
    /// 11: the last try failed with this error, and the retry policy's budget was used up.
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
                "The server sent a range in another content coding than the stored part."
            )
        case .wrongLength(let expected, let received):
            (4, "The file should have \(expected) bytes, but has \(received).")
        case .wrongHash(let expected, let received):
            (
                5,
                "The file should have the \(FileSum(expected)?.kind.rawValue ?? "sum") \(expected), "
                    + "but has \(received). It was removed."
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
        case .changed: (9, "The file on the server has changed during the download.")
        case .otherPart(let path):
            (10, "\(path) is there already, and no download made it. It was left as it is.")
        case .retryBudgetUsed(let error): (11, error.description + " " + BudgetUsed.sentence)
        }
    }
}

extension DownloadError: CustomStringConvertible {
    /// What happened and, if possible, what can be done.
    public var description: String { numbered.sentence }
}

extension DownloadError {
    /// The failure of the last system call, by `errno`.
    static func disk(_ action: String, _ path: String) -> DownloadError {
        .disk(action: action, path: path, code: errno)
    }
}
