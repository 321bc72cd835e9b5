import Foundation
import FoundationNetworking

/// The reason for which a response was refused or incomplete.
enum DownloadError: Error, Equatable, CustomStringConvertible {
    /// The status is that of neither a file nor a part.
    case status(Int)
    /// It does not continue the existing part.
    case refused(String)
    /// A range in a content coding cannot be appended; the next try requests the whole file.
    case encodedPart
    /// The body has another length than announced.
    case wrongLength(expected: Int64, got: Int64)
    /// There is a file of that name with other bytes that was not fetched from this URL.
    case otherFile(path: String, bytes: Int64, expected: Int64)
    /// The text is not a URL that can be loaded.
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
