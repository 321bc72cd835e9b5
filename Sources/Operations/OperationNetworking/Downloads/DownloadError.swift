public import Foundation
import FoundationNetworking
import HTTPSemantics

/// Why a download did not become a file; what the connection itself reports is a `URLError`.
public enum DownloadError: Error, Hashable, Sendable {
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

extension DownloadError: CustomNSError {
    /// `OperationNetworking.DownloadError`.
    public static var errorDomain: String { "OperationNetworking.DownloadError" }

    /// The numbers never change.
    public var errorCode: Int {
        switch self {
        case .status: 1
        case .refused: 2
        case .encodedPart: 3
        case .wrongLength: 4
        case .wrongHash: 5
        case .otherFile: 6
        case .disk: 7
        case .unusable: 8
        case .changed: 9
        case .otherPart: 10
        case .retryBudgetUsed: 11
        }
    }

    /// The description, and the system's error for a file.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: description]
        switch self {
        case .disk(_, let path, let code):
            info[NSFilePathErrorKey] = path
            info[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(code))
        case .retryBudgetUsed(let error): info[NSUnderlyingErrorKey] = error as NSError
        default: break
        }
        return info
    }
}

extension DownloadError: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension DownloadError: CustomStringConvertible {
    /// What happened and, where there is something, what can be done.
    public var description: String { sentence.printable }

    private var sentence: String {
        switch self {
        case .status(let code):
            "The server answered \(code) (\(HTTPURLResponse.localizedString(forStatusCode: code)))."
        case .refused(let reason): "\(reason) The part is kept."
        case .encodedPart:
            "The server sent a part in a content coding, which cannot be joined to what is there."
        case .wrongLength(let expected, let received):
            "The file should have \(expected) bytes, but \(received) came."
        case .wrongHash(let expected, let received):
            "The file should have the SHA-256 \(expected), but has \(received). It was not kept."
        case .otherFile(let path, let length, let expected):
            "\(path) is there already, and it is another file: "
                + (length == expected
                    ? "its \(length) bytes are not the server's."
                    : "it has \(length) bytes, the server's \(expected).")
                + " It was left as it is."
        case .disk(let action, let path, let code):
            "Could not \(action) \(path): \(String(cString: strerror(code)))."
        case .unusable(let reason): reason
        case .changed: "The server's file has changed while it was downloaded."
        case .otherPart(let path):
            "\(path) is there already, and no download made it. It was left as it is."
        case .retryBudgetUsed(let error): error.description + " " + BudgetUsed.sentence
        }
    }
}

extension DownloadError {
    /// The failure of the system call that was just made.
    static func disk(_ action: String, _ path: String) -> DownloadError {
        .disk(action: action, path: path, code: errno)
    }
}
