import Foundation
import FoundationNetworking

/// Why an answer was not taken.
enum DownloadError: Error, Equatable, CustomStringConvertible {
    /// Neither the file nor a part of it.
    case status(Int)
    /// It does not fit the part that is there.
    case refused(String)
    /// A part in a coding cannot be joined to anything; the next try asks for the whole.
    case encodedPart
    /// It ended early or late.
    case wrongLength(expected: Int64, got: Int64)
    /// There is a file of that name with other bytes, which was not fetched from this address.
    case otherFile(path: String, bytes: Int64, expected: Int64)
    /// The text is no URL that can be loaded.
    case unusableURL(String)

    var description: String {
        switch self {
        case .status(let code):
            "The server answered \(code) (\(HTTPURLResponse.localizedString(forStatusCode: code)))."
        case .refused(let reason):
            "\(reason) The part is kept; use --force to fetch the file anew."
        case .encodedPart:
            "The server sent a part in a content coding, which cannot be joined."
        case .wrongLength(let expected, let got):
            "The file should have \(expected) bytes, but \(got) came."
        case .otherFile(let path, let bytes, let expected):
            "\(path) is there already, and it is another file: "
                + (bytes == expected
                    ? "its \(bytes) bytes are not the server's."
                    : "it has \(bytes) bytes, the server's \(expected).")
                + " It was left as it is; use --force to replace it, or another directory with -o."
        case .unusableURL(let reason): reason
        }
    }
}
